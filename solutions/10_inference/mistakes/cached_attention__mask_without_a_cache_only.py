"""You mask the prompt only. When several tokens come after a cache, what hides the later ones from the
earlier?
"""


def cached_attention(queries, keys, values, cache=None):
    mask = None
    if cache is None:
        mask = torch.ones(keys.shape[-2], keys.shape[-2], dtype=torch.bool).triu(1)
    else:
        keys = torch.cat([cache[0], keys], dim=-2)
        values = torch.cat([cache[1], values], dim=-2)
    return attention(queries, keys, values, mask), (keys, values)
