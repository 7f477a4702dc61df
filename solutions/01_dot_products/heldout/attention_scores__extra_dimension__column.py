"""The scores come as a column of shape (n, 1) instead of (n,)."""


def attention_scores(inputs: Tensor, query: Tensor) -> Tensor:
    column = query.reshape(-1, 1)
    return torch.matmul(inputs, column)
