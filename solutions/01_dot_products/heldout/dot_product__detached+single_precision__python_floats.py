"""The result is cut off from the gradients of the vectors and it is always float32, whatever
the vectors are.
"""


def dot_product(a: Tensor, b: Tensor) -> Tensor:
    if a.shape[0] != b.shape[0]:
        raise ValueError("lengths differ")
    acc = 0.0
    for i in range(a.shape[0]):
        acc += a[i].item() * b[i].item()
    return torch.tensor(acc)
