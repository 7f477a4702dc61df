"""Several new tokens come at once, and each sees those after it. What hides the future among the new
tokens?
"""


def cached_attention(queries, keys, values, cache=None):
    if cache is not None:
        keys = torch.cat([cache[0], keys], dim=-2)
        values = torch.cat([cache[1], values], dim=-2)
    return attention(queries, keys, values), (keys, values)
