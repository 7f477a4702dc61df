"""Your mask hides a token from itself too, and the first token then has nothing left to look at. Where does
the diagonal of the new tokens lie?
"""


def cached_attention(queries, keys, values, cache=None):
    if cache is not None:
        keys = torch.cat([cache[0], keys], dim=-2)
        values = torch.cat([cache[1], values], dim=-2)
    n, m = queries.shape[-2], keys.shape[-2]
    mask = torch.ones(n, m, dtype=torch.bool).triu(m - n)
    return attention(queries, keys, values, mask), (keys, values)
