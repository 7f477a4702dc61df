"""Counts rows instead of places."""


def cached_attention(queries, keys, values, cache=None):
    old = keys[..., :0, :], values[..., :0, :]
    cache = old if cache is None else cache
    all_keys = torch.cat((cache[0], keys), -2)
    all_values = torch.cat((cache[1], values), -2)
    rows = torch.arange(queries.size(-2))[:, None]
    hidden = torch.arange(all_keys.size(-2))[None, :] > rows
    return attention(queries, all_keys, all_values, hidden), (all_keys, all_values)
