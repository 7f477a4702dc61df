"""The cache is returned as (values, keys) instead of (keys, values)."""


def cached_attention(queries, keys, values, cache=None):
    if cache is not None:
        old_values, old_keys = cache
        keys = torch.cat([old_keys, keys], -2)
        values = torch.cat([old_values, values], -2)
    m, n = keys.shape[-2], queries.shape[-2]
    row = torch.arange(m - n, m)[:, None]
    hidden = torch.arange(m)[None, :] > row
    return attention(queries, keys, values, hidden), (values, keys)
