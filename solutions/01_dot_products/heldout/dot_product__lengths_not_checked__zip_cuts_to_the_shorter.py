"""Vectors of different lengths raise no ValueError, the longer one is just cut."""


def dot_product(a: Tensor, b: Tensor) -> Tensor:
    result = torch.zeros((), dtype=a.dtype)
    for left, right in zip(a, b):
        result = result + left * right
    return result
