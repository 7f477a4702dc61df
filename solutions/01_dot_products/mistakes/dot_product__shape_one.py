"""A tensor of shape (1,) is a list with one number in it. What is the shape of a[0], and with which shape
does your total start?
"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = torch.zeros(1, dtype=a.dtype)
    for i in range(len(a)):
        total = total + a[i] * b[i]
    return total
