"""You join old and new in the dimension of the heads. Which dimension, counted from the end, is that of the
tokens?
"""


def cached_attention(queries, keys, values, cache=None):
    if cache is not None:
        keys = torch.cat([cache[0], keys], dim=-3)
        values = torch.cat([cache[1], values], dim=-3)
    n, m = queries.shape[-2], keys.shape[-2]
    mask = torch.ones(n, m, dtype=torch.bool).triu(m - n + 1)
    return attention(queries, keys, values, mask), (keys, values)
