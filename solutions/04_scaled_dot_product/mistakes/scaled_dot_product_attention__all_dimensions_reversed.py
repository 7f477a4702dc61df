"""In a batch, other dimensions of the keys change places than the last two. What does `.T` do to three
dimensions?
"""


def scaled_dot_product_attention(queries, keys, values):
    scores = queries @ keys.permute(*range(keys.dim() - 1, -1, -1))
    return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values
