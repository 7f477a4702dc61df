"""In a batch, dimension 1 holds the queries, so your softmax makes them compete. For a matrix it is the
last dimension, for a batch it is not.
"""


def scaled_dot_product_attention(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1)
    return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=1) @ values
