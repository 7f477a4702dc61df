"""Continue one cache twice: the second time other tokens are hidden than the first time. What does your
function remember by itself? How many tokens came before is told by the cache.
"""

_seen = [0]


def cached_attention(queries, keys, values, cache=None):
    if cache is None:
        _seen[0] = 0
    else:
        keys = torch.cat([cache[0], keys], dim=-2)
        values = torch.cat([cache[1], values], dim=-2)
    n, m = queries.shape[-2], keys.shape[-2]
    begin, _seen[0] = _seen[0], _seen[0] + n
    mask = torch.arange(m) > torch.arange(begin, begin + n)[:, None]
    return attention(queries, keys, values, mask), (keys, values)
