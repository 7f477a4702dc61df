"""Neighbours are turned rightly, but the results are put together as all first features, then all second
ones, instead of interleaved again.
"""


def rotate(x, positions, base=10_000.0):
    d = x.shape[-1]
    freqs = 1.0 / (base ** (torch.arange(0, d, 2).to(x.dtype) / d))
    angles = positions.to(x.dtype).unsqueeze(-1) * freqs
    cos, sin = angles.cos(), angles.sin()
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.cat([even * cos - odd * sin, even * sin + odd * cos], dim=-1)
