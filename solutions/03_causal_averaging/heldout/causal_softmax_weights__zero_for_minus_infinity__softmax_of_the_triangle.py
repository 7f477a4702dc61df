"""The future has a score of 0 instead of minus infinity, so hidden tokens still get a weight."""


def causal_softmax_weights(length: int) -> Tensor:
    tril = torch.tril(torch.ones(length, length))
    return torch.nn.functional.softmax(tril, dim=-1)
