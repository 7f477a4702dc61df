"""The scaling makes your scores larger. Dividing by 1/sqrt(d_k) is multiplying by sqrt(d_k)."""


def scaled_dot_product_attention(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1)
    return torch.softmax(scores * keys.shape[-1] ** 0.5, dim=-1) @ values
