"""The result is right, and x is gone: something works in place, as a method does whose name ends with an
underscore, or an assignment to a part of x.
"""


def causal_average(x):
    count = torch.arange(1, x.shape[-2] + 1, dtype=x.dtype).unsqueeze(1)
    return x.cumsum_(dim=-2) / count
