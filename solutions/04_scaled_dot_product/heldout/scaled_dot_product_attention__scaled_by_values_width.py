"""Uses a tensor's sqrt of the last size of values."""


def scaled_dot_product_attention(queries, keys, values):
    dk = torch.tensor(values.size(-1)).sqrt().to(queries.dtype)
    att = (queries @ keys.transpose(-1, -2)).div(dk).softmax(-1)
    return att.matmul(values)
