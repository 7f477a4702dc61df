"""Two running sums with a zip."""


def dot_product(a, b):
    if a.numel() != b.numel():
        raise ValueError("lengths")
    s = a.new_tensor(0.0)
    for p, q in zip(a, b):
        s = s + (p + q)
    return s
