"""What happens when one vector is longer than the other? Your loop ends with the shorter one
without a word.
"""


def dot_product(a, b):
    total = 0
    for x, y in zip(a, b):
        total = total + x * y
    return total
