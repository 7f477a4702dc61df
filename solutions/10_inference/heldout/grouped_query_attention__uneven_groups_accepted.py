"""Shares as well as it can."""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.size(-3), keys.size(-3)
    owner = torch.arange(h) * g // h
    return attention(queries, keys[..., owner, :, :], values[..., owner, :, :], mask)
