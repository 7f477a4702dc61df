"""No mask is used at all and the new keys and values are put before the old ones in the cache."""


def cached_attention(queries, keys, values, cache=None):
    if cache:
        keys = torch.cat((keys, cache[0]), dim=-2)
        values = torch.cat((values, cache[1]), dim=-2)
    return attention(queries, keys, values), (keys, values)
