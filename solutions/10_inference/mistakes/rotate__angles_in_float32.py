"""Your angles are computed in float32, although x is float64. In which dtype does arange count when the
division begins?
"""


def rotate(x, positions, base=10_000.0):
    d = x.shape[-1]
    pairs = torch.arange(0, d, 2)
    angles = positions[:, None] * base ** (-pairs / d)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
