"""Watch the total while the loop runs, with a print if you like: does each round add to it, or put
something new in its place?
"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    for i in range(len(a)):
        total = a[i] * b[i]
    return total
