"""A loop over pairs with i / d."""


def rotate(x, positions, base=10_000.0):
    size, columns = x.size(-1), []
    for i in range(size // 2):
        t = positions.to(x.dtype) * base ** (-i / size)
        a, b = x[..., 2 * i], x[..., 2 * i + 1]
        columns += [a * t.cos() - b * t.sin(), a * t.sin() + b * t.cos()]
    return torch.stack(columns, dim=-1)
