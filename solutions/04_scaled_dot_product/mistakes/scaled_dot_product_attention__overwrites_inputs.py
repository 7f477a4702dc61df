"""Look at what the caller's queries, keys and values hold after the call. Which line writes into them?"""


def scaled_dot_product_attention(queries, keys, values):
    queries /= keys.shape[-1] ** 0.5
    return torch.softmax(queries @ keys.transpose(-2, -1), dim=-1) @ values
