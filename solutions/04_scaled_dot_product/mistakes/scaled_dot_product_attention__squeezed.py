"""`squeeze()` drops every dimension of size 1, also that of a single token or a single number."""


def scaled_dot_product_attention(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1)
    return (torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values).squeeze()
