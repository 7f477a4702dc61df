"""You notice unequal lengths, but with another error than the description promises. A caller who waits for
ValueError does not catch an AssertionError.
"""


def dot_product(a, b):
    assert len(a) == len(b), "unequal lengths"
    total = 0
    for x, y in zip(a, b):
        total = total + x * y
    return total
