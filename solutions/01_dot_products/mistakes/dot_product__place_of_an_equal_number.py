"""Try a vector in which a number comes twice. Which place does your search find the second time?"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = torch.zeros((), dtype=a.dtype)
    numbers = a.tolist()
    for number in numbers:
        i = numbers.index(number)
        total = total + a[i] * b[i]
    return total
