"""Try vectors of length 1. range(n) already stops before n, so taking away 1 leaves out one entry."""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = torch.zeros((), dtype=a.dtype)
    for i in range(len(a) - 1):
        total = total + a[i] * b[i]
    return total
