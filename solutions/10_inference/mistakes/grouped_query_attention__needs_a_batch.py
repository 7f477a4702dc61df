"""A single text, which has no batch, goes wrong. Is the dimension of the heads counted from the front?
How is it counted from the end?
"""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.shape[1], keys.shape[1]
    if h % g != 0:
        raise ValueError("h must be a multiple of g")
    keys = keys.repeat_interleave(h // g, dim=1)
    values = values.repeat_interleave(h // g, dim=1)
    return attention(queries, keys, values, mask)
