"""You scale by the width that the lesson's tokens had before they were projected. Scores are made
afterwards: over which width do they sum?
"""


def scaled_dot_product_attention(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1)
    return torch.softmax(scores / d_in**0.5, dim=-1) @ values
