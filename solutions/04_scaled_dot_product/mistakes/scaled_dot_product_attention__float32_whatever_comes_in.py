"""float64 inputs come back as float32, and half of their digits are gone. Which step converts them, and is it
needed?
"""


def scaled_dot_product_attention(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1)
    weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1, dtype=torch.float32)
    return weights @ values.float()
