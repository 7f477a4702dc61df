"""Enumerates one vector and keeps the product in a variable of another name."""


def dot_product(a, b):
    if a.shape[0] != b.shape[0]:
        raise ValueError("a and b must be equally long")
    res = a.new_zeros(())
    for idx, value in enumerate(a):
        res = value * b[idx]
    return res
