"""Sees the last three tokens only."""


def cached_attention(queries, keys, values, cache=None):
    if cache is not None:
        keys = torch.cat([cache[0], keys], dim=-2)
        values = torch.cat([cache[1], values], dim=-2)
    n, m = queries.shape[-2], keys.shape[-2]
    mask = torch.ones(n, m, dtype=torch.bool).triu(m - n + 1)
    mask = mask | torch.ones(n, m, dtype=torch.bool).tril(m - n - 3)
    return attention(queries, keys, values, mask), (keys, values)
