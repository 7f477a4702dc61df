"""Entries of the same place are multiplied and the products are added. Which of the two does your loop do
inside, which outside?
"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = 0
    for i in range(len(a)):
        total = total + a[i] + b[i]
    return total
