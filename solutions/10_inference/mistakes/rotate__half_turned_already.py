"""You compute the second feature from a first one that has been turned already. Which of the two must be
kept until both are done?
"""


def rotate(x, positions, base=10_000.0):
    d = x.shape[-1]
    pairs = torch.arange(0, d, 2, dtype=x.dtype)
    angles = positions.to(x.dtype)[:, None] * base ** (-pairs / d)
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    a = a * cos - b * sin
    b = a * sin + b * cos
    return torch.stack([a, b], dim=-1).flatten(-2)
