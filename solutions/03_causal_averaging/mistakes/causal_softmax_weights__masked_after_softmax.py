"""If hidden tokens are struck out after the softmax, their share of the whole is lost, and the rows no
longer sum to 1. Mask first.
"""


def causal_softmax_weights(length):
    weights = torch.softmax(torch.zeros(length, length), dim=1)
    return weights * torch.tril(torch.ones(length, length))
