"""A vector of a single number is shorter than one of four. What does your code make of the two?"""


def dot_product(a: Tensor, b: Tensor) -> Tensor:
    if len(a) != len(b) and 1 not in (len(a), len(b)):
        raise ValueError(f"the vectors have different lengths: {len(a)} and {len(b)}")
    a, b = torch.broadcast_tensors(a, b)
    total = torch.zeros((), dtype=a.dtype)
    for i in range(len(a)):
        total = total + a[i] * b[i]
    return total
