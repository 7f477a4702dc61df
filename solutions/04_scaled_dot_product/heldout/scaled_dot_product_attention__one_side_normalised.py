"""Keys are brought to length 1 first."""


def scaled_dot_product_attention(queries, keys, values):
    unit = torch.nn.functional.normalize(keys, dim=-1)
    return torch.softmax(queries @ unit.mT / keys.size(-1) ** 0.5, -1) @ values
