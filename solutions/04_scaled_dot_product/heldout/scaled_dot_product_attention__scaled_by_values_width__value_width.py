"""The scores are divided by the root of d_v, the width of the values, instead of d_k."""


def scaled_dot_product_attention(
    queries: Tensor, keys: Tensor, values: Tensor
) -> Tensor:
    d_k = values.size(-1)
    scores = queries @ keys.transpose(-2, -1)
    attn = torch.softmax(scores / d_k**0.5, dim=-1)
    return attn @ values
