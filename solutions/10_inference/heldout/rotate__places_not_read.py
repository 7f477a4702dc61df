"""A table from the beginning of the text."""


def rotate(x, positions, base=10_000.0):
    n, size = x.shape[-2:]
    speeds = base ** (-torch.arange(0, size, 2, dtype=x.dtype) / size)
    angles = torch.outer(torch.arange(n, dtype=x.dtype), speeds)
    out = torch.empty_like(x)
    out[..., ::2] = x[..., ::2] * angles.cos() - x[..., 1::2] * angles.sin()
    out[..., 1::2] = x[..., ::2] * angles.sin() + x[..., 1::2] * angles.cos()
    return out
