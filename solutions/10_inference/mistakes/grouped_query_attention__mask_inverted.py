"""Your mask hides what may be seen and shows what is hidden. What does True mean in this course?"""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.shape[-3], keys.shape[-3]
    if h % g != 0:
        raise ValueError("h must be a multiple of g")
    keys = keys.repeat_interleave(h // g, dim=-3)
    values = values.repeat_interleave(h // g, dim=-3)
    return attention(queries, keys, values, None if mask is None else ~mask)
