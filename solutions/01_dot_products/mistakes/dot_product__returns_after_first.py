"""In which round does your function return? A return that is indented into the loop ends it in the first
round.
"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = 0
    for i in range(len(a)):
        total = total + a[i] * b[i]
        return total
