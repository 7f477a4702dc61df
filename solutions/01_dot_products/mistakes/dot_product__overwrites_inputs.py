"""After the call, look at a again: the products now stand in the caller's vector. Where else
could they go?
"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    a *= b
    total = 0
    for product in a:
        total = total + product
    return total
