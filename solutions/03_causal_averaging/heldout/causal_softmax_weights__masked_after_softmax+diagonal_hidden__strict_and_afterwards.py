"""The token itself is hidden as well and the mask is multiplied onto the weights after the softmax, so the
rows do not sum to 1.
"""


def causal_softmax_weights(length: int) -> Tensor:
    scores = torch.zeros(length, length)
    visible = torch.tril(torch.ones(length, length), -1)
    return scores.softmax(-1) * visible
