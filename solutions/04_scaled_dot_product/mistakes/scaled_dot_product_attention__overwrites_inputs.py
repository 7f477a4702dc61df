"""The result is right, but the caller's queries have become smaller: a step such as `/=` works in place."""


def scaled_dot_product_attention(queries, keys, values):
    queries /= keys.shape[-1] ** 0.5
    return torch.softmax(queries @ keys.transpose(-2, -1), dim=-1) @ values
