"""The number is right but no longer a tensor. .item() and float() take it out of torch, and no gradient can
find the way back.
"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = 0.0
    for i in range(len(a)):
        total += a[i].item() * b[i].item()
    return total
