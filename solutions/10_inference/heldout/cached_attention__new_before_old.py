"""The newest token comes first."""


def cached_attention(queries, keys, values, cache=None):
    n = queries.size(-2)
    if cache is not None:
        k_old, v_old = cache
        keys = torch.cat((keys, k_old), -2)
        values = torch.cat((values, v_old), -2)
    m = keys.size(-2)
    hidden = torch.arange(m) > torch.arange(m - n, m)[:, None]
    return attention(queries, keys, values, hidden), (keys, values)
