"""You repeat tokens instead of heads. Which dimension of keys is that of the heads?"""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.shape[-3], keys.shape[-3]
    if h % g != 0:
        raise ValueError("h must be a multiple of g")
    keys = keys.repeat_interleave(h // g, dim=-2)
    values = values.repeat_interleave(h // g, dim=-2)
    return attention(queries, keys, values, mask)
