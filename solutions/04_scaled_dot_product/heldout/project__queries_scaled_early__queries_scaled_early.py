"""The queries are divided by the square root of d_k already here."""


def project(
    x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    d_k = W_key.shape[1]
    Q = torch.einsum("...i,ij->...j", x, W_query) / d_k**0.5
    K = torch.einsum("...i,ij->...j", x, W_key)
    V = torch.einsum("...i,ij->...j", x, W_value)
    return Q, K, V
