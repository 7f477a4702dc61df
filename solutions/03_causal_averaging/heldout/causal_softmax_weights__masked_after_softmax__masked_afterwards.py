"""The softmax of all scores is taken first, then the future is set to 0, so the rows do not sum to 1."""


def causal_softmax_weights(length: int) -> Tensor:
    weights = torch.softmax(torch.zeros(length, length), dim=-1)
    return weights.tril()
