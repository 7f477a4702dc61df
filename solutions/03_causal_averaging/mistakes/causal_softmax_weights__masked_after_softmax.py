"""Struck out after the softmax, the hidden tokens keep their share of the whole, and the rows no longer
sum to 1. Mask first.
"""


def causal_softmax_weights(length):
    weights = torch.softmax(torch.zeros(length, length), dim=1)
    return weights * torch.tril(torch.ones(length, length))
