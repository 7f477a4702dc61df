"""The example has three dimensions, other inputs have more or fewer. Where does your function learn how
long the vectors are?
"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = 0
    for i in range(3):
        total = total + a[i] * b[i]
    return total
