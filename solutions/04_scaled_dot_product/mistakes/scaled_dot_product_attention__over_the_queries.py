"""Each query shares out a weight of 1 among the keys. Along which dimension do your weights sum to 1?"""


def scaled_dot_product_attention(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1)
    return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-2) @ values
