"""You scale by the number of keys. A score is a sum of d_k products: which dimension holds those?"""


def scaled_dot_product_attention(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1)
    return torch.softmax(scores / keys.shape[-2] ** 0.5, dim=-1) @ values
