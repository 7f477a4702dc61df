"""Try vectors of length 1. The total starts with the first product; with which entry does the loop go on?"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = a[0] * b[0]
    for i in range(len(a)):
        total = total + a[i] * b[i]
    return total
