"""Compares positions with <=."""


def causal_mask(length):
    steps = torch.arange(length)
    return steps[None, :] <= steps[:, None]
