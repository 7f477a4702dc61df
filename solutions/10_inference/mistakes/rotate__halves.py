"""You pair a feature of the first half with one of the second. Here the pairs are neighbours: 0 and 1, 2
and 3.
"""


def rotate(x, positions, base=10_000.0):
    d = x.shape[-1]
    pairs = torch.arange(0, d, 2, dtype=x.dtype)
    angles = positions.to(x.dtype)[:, None] * base ** (-pairs / d)
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., : d // 2], x[..., d // 2 :]
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)
