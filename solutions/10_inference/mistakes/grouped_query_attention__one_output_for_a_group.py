"""The query heads of a group get the same output, that of their mean. Keys and values are shared; does each
head still ask for itself?
"""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.shape[-3], keys.shape[-3]
    if h % g != 0:
        raise ValueError("h must be a multiple of g")
    queries = queries.unflatten(-3, (g, h // g)).mean(dim=-3)
    return attention(queries, keys, values, mask).repeat_interleave(h // g, dim=-3)
