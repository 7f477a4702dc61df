"""After the call, look at a again: it has changed. Which step writes into it, and where else could its
result go?
"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    a *= b
    total = 0
    for product in a:
        total = total + product
    return total
