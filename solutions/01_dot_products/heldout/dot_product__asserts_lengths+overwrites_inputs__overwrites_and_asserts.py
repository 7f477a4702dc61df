"""The products are written into the vector a of the caller and different lengths raise AssertionError instead
of ValueError.
"""


def dot_product(a: Tensor, b: Tensor) -> Tensor:
    assert len(a) == len(b), "vectors must have the same length"
    s = 0
    a *= b
    for product in a:
        s = s + product
    return s
