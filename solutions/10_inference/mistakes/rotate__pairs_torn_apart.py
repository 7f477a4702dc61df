"""The pairs are turned rightly, but in your result all first features stand before all second ones. How do
they get back to their places?
"""


def rotate(x, positions, base=10_000.0):
    d = x.shape[-1]
    pairs = torch.arange(0, d, 2, dtype=x.dtype)
    angles = positions.to(x.dtype)[:, None] * base ** (-pairs / d)
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)
