"""Goes over the range of the shorter length instead of zipping."""


def dot_product(a, b):
    n = min(a.size(0), b.size(0))
    out = a[0] * b[0]
    for k in range(1, n):
        out = out + a[k] * b[k]
    return out
