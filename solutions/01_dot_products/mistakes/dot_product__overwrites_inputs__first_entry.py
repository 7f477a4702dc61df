"""a[0] is not a copy but a window onto the first entry of a, so adding to it with += changes a itself."""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = a[0]
    total *= b[0]
    for i in range(1, len(a)):
        total += a[i] * b[i]
    return total
