"""The features are cut, but heads and tokens are not swapped: the result is (B, T, h, s)."""


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (num_heads, x.shape[-1] // num_heads))
