"""The softmax of a triangle of ones gives hidden tokens a weight too, because exp(0) = 1. What must stand
in their place?
"""


def causal_softmax_weights(length):
    return torch.softmax(torch.tril(torch.ones(length, length)), dim=1)
