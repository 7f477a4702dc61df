"""Your arrows turn the other way. Which of the two sines bears the minus?"""


def rotate(x, positions, base=10_000.0):
    d = x.shape[-1]
    pairs = torch.arange(0, d, 2, dtype=x.dtype)
    angles = positions.to(x.dtype)[:, None] * base ** (-pairs / d)
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos + b * sin, b * cos - a * sin], dim=-1).flatten(-2)
