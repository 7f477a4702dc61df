"""The halves are paired instead of neighbours and the pairs turn in the opposite direction."""


def rotate(x, positions, base=10_000.0):
    half = x.shape[-1] // 2
    theta = base ** (-torch.arange(half, dtype=x.dtype) / half)
    angle = positions.to(x.dtype)[:, None] * theta
    first, second = x.chunk(2, dim=-1)
    return torch.cat(
        [
            first * angle.cos() + second * angle.sin(),
            second * angle.cos() - first * angle.sin(),
        ],
        dim=-1,
    )
