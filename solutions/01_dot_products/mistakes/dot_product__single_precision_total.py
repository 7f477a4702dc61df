"""The total is float32, whatever the vectors are. How can it start with the dtype of the inputs?"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = torch.tensor(0.0)
    for i in range(len(a)):
        total += a[i] * b[i]
    return total
