"""A name with an underscore at the end, such as `cumsum_`, works in place: the result is right, and x is
gone.
"""


def causal_average(x):
    count = torch.arange(1, x.shape[-2] + 1, dtype=x.dtype).unsqueeze(1)
    return x.cumsum_(dim=-2) / count
