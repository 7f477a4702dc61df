"""x has been overwritten. Methods whose name ends in an underscore do that, and so do assignments to a
part of x.
"""


def causal_average(x):
    count = torch.arange(1, x.shape[-2] + 1, dtype=x.dtype).unsqueeze(1)
    return x.cumsum_(dim=-2) / count
