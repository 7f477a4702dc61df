"""Your loop runs over as many keys as there are queries. Take the number of keys from the keys."""


def scaled_dot_product_attention(queries, keys, values):
    n = queries.shape[-2]
    scores = torch.stack([(queries * keys[..., j : j + 1, :]).sum(dim=-1) for j in range(n)], dim=-1)
    return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values
