"""rotate_half, as one finds it everywhere."""


def _rotate_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def rotate(x, positions, base=10_000.0):
    size = x.size(-1)
    speeds = 1.0 / base ** (torch.arange(0, size, 2, dtype=x.dtype) / size)
    angles = torch.outer(positions.to(x.dtype), speeds)
    angles = torch.cat((angles, angles), dim=-1)
    return x * angles.cos() + _rotate_half(x) * angles.sin()
