"""After the call, look at a again. a *= b writes the products into the caller's vector; where else could
they go?
"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    a *= b
    total = 0
    for product in a:
        total = total + product
    return total
