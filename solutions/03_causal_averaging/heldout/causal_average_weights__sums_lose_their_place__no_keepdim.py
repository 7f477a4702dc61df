"""The row sums are not kept as a column, so column j is divided by j + 1 instead of row t by t + 1."""


def causal_average_weights(length: int) -> Tensor:
    wei = torch.tril(torch.ones(length, length))
    return wei / wei.sum(dim=1)
