"""Your scaling takes its number from the notebook. In the lesson it happens to be the width of a key;
elsewhere it is not.
"""


def scaled_dot_product_attention(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1)
    return torch.softmax(scores / d_out**0.5, dim=-1) @ values
