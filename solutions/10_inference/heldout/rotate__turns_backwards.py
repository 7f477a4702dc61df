"""Complex numbers, conjugated."""


def rotate(x, positions, base=10_000.0):
    size = x.size(-1)
    speeds = base ** (-torch.arange(0, size, 2, dtype=x.dtype) / size)
    angles = torch.outer(positions.to(x.dtype), speeds)
    turns = torch.polar(torch.ones_like(angles), -angles)
    return torch.view_as_real(
        torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous()) * turns
    ).flatten(-2)
