"""A dot product multiplies entries at the same place and adds up the products. Which of these two steps
is missing?
"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = 0
    for i in range(len(a)):
        total = total + a[i] + b[i]
    return total
