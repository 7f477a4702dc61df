"""Vectors that point in opposite directions have a negative dot product. Where does the sign get lost?"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = 0
    for i in range(len(a)):
        total = total + abs(a[i] * b[i])
    return total
