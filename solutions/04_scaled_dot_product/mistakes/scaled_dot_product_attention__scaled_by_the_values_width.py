"""You scale by the width of the values. It often equals that of the keys, but only the keys take part in
the scores.
"""


def scaled_dot_product_attention(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1)
    return torch.softmax(scores / values.shape[-1] ** 0.5, dim=-1) @ values
