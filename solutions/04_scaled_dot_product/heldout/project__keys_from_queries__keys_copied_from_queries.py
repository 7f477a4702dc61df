"""The keys are made with W_query instead of W_key."""


def project(
    x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    q = torch.matmul(x, W_query)
    k = torch.matmul(x, W_query)
    v = torch.matmul(x, W_value)
    return q, k, v
