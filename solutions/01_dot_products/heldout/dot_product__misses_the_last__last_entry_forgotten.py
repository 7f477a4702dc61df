"""The loop stops one step too early, so the last entry of the vectors is left out."""


def dot_product(a: Tensor, b: Tensor) -> Tensor:
    if a.size(0) != b.size(0):
        raise ValueError("a and b must have the same length")
    total = a.new_zeros(())
    i = 0
    while i < len(a) - 1:
        total = total + a[i] * b[i]
        i += 1
    return total
