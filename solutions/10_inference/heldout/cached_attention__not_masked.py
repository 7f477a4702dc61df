"""Writes attention out and forgets the future."""


def cached_attention(queries, keys, values, cache=None):
    if cache:
        keys, values = (torch.cat(pair, dim=-2) for pair in zip(cache, (keys, values)))
    weights = torch.softmax(queries @ keys.mT / keys.size(-1) ** 0.5, -1)
    return weights @ values, (keys, values)
