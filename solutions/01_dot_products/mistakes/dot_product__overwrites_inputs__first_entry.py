"""After the call the first entry of a has changed. Is a[0] a copy of it, or a window onto it, and what
does += do to a window?
"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = a[0]
    total *= b[0]
    for i in range(1, len(a)):
        total += a[i] * b[i]
    return total
