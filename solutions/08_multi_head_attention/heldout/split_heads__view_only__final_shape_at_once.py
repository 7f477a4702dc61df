"""The final shape is asked for at once, without transposing, so that tokens and features are mixed up."""


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, d = x.shape
    return x.reshape(B, num_heads, T, d // num_heads)
