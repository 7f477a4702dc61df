"""The heads are joined without swapping heads and tokens first, so tokens get features of other tokens."""


def merge_heads(x: Tensor) -> Tensor:
    b, h, t, s = x.size()
    return x.contiguous().view(b, t, h * s)
