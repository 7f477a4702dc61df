"""You scale by the width that a token of the lesson had before it was projected. By then it is gone:
which width do the scores come from?
"""


def scaled_dot_product_attention(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1)
    return torch.softmax(scores / d_in**0.5, dim=-1) @ values
