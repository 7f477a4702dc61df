"""The result has shape (1,) instead of ()."""


def dot_product(a: Tensor, b: Tensor) -> Tensor:
    if len(a) != len(b):
        raise ValueError(f"{len(a)} and {len(b)} numbers")
    res = torch.zeros(1, dtype=a.dtype)
    for idx, element in enumerate(a):
        res = res + element * b[idx]
    return res
