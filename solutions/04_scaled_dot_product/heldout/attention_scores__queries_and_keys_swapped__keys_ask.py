"""The scores are transposed, row i belongs to key i."""


def attention_scores(queries: Tensor, keys: Tensor) -> Tensor:
    return torch.matmul(keys, queries.transpose(-2, -1))
