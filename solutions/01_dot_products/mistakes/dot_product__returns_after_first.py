"""The first product is all that counts. Is a return indented into the loop? It ends it in the first
round.
"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = 0
    for i in range(len(a)):
        total = total + a[i] * b[i]
        return total
