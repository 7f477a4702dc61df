"""Your query heads take the heads of keys and values in turn, 0 1 0 1. Which heads does the table put into
one group?
"""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.shape[-3], keys.shape[-3]
    if h % g != 0:
        raise ValueError("h must be a multiple of g")
    times = [1] * (keys.dim() - 3) + [h // g, 1, 1]
    keys = keys.repeat(times)
    values = values.repeat(times)
    return attention(queries, keys, values, mask)
