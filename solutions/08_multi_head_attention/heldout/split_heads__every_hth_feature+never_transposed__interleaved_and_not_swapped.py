"""The features are dealt out in turn instead of in neighbouring pieces and heads and tokens are not
swapped.
"""


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    b, t, d = x.shape
    return x.view(b, t, d // num_heads, num_heads).transpose(2, 3)
