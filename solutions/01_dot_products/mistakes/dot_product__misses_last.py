"""Try vectors of length 1. The last entry has no part in your total; where does your loop end?"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = torch.zeros((), dtype=a.dtype)
    for i in range(len(a) - 1):
        total = total + a[i] * b[i]
    return total
