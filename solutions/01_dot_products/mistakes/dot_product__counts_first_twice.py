"""Try vectors of length 1. With what does your total start, and which entry comes next?"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = a[0] * b[0]
    for i in range(len(a)):
        total = total + a[i] * b[i]
    return total
