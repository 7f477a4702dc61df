"""The tokens are turned by their row numbers 0, 1, 2 instead of the positions that are given."""


def rotate(x, positions, base=10_000.0):
    n, d = x.shape[-2:]
    pos = torch.arange(n, dtype=x.dtype)
    theta = base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    angle = pos[:, None] * theta[None, :]
    out = torch.empty_like(x)
    out[..., ::2] = x[..., ::2] * torch.cos(angle) - x[..., 1::2] * torch.sin(angle)
    out[..., 1::2] = x[..., ::2] * torch.sin(angle) + x[..., 1::2] * torch.cos(angle)
    return out
