"""The pair number i turns by base ** (-i / d) instead of base ** (-2 * i / d)."""


def rotate(x, positions, base=10_000.0):
    d = x.size(-1)
    i = torch.arange(d // 2, dtype=x.dtype, device=x.device)
    theta = base ** (-i / d)
    t = torch.outer(positions.to(x.dtype), theta)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack(
        [a * t.cos() - b * t.sin(), a * t.sin() + b * t.cos()], dim=-1
    ).flatten(-2)
