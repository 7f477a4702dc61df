"""All your pairs turn by the same angle. How does the angle depend on the pair?"""


def rotate(x, positions, base=10_000.0):
    d = x.shape[-1]
    angles = positions.to(x.dtype)[:, None]
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
