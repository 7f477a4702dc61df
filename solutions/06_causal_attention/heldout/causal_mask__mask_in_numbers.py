"""The opposite of a lower triangle, as floats."""


def causal_mask(length):
    return 1 - torch.tril(torch.ones(length, length))
