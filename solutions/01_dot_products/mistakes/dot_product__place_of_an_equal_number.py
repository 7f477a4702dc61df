"""Try a vector in which a number comes twice. Does each entry meet the one at its own place?"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = torch.zeros((), dtype=a.dtype)
    numbers = a.tolist()
    for number in numbers:
        i = numbers.index(number)
        total = total + a[i] * b[i]
    return total
