"""You average along the last dimension, over the numbers of one token. Along which dimension do the
tokens follow each other?
"""


def causal_average(x):
    count = torch.arange(1, x.shape[-1] + 1, dtype=x.dtype)
    return x.cumsum(dim=-1) / count
