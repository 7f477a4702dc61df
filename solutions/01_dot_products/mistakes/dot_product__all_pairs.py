"""Each entry of a meets only the entry of b in the same place. How many products does your function add up
for vectors of length 3?
"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = 0
    for x in a:
        for y in b:
            total = total + x * y
    return total
