"""The new keys and values are put before the old ones in the cache, newest first; what is seen is right."""


def cached_attention(queries, keys, values, cache=None):
    n = queries.size(-2)
    old = 0
    if cache is not None:
        old = cache[0].size(-2)
        keys = torch.cat((keys, cache[0]), dim=-2)
        values = torch.cat((values, cache[1]), dim=-2)
    mask = torch.zeros(n, n + old, dtype=torch.bool)
    mask[:, :n] = torch.ones(n, n, dtype=torch.bool).triu(1)
    scores = queries @ keys.transpose(-1, -2) / math.sqrt(queries.size(-1))
    weights = scores.masked_fill(mask, float("-inf")).softmax(-1)
    return weights @ values, (keys, values)
