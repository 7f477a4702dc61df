"""Your keys are shared by neighbours, but your values are dealt out in turn. Does a query head find both in
the same head?
"""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.shape[-3], keys.shape[-3]
    if h % g != 0:
        raise ValueError("h must be a multiple of g")
    keys = keys.repeat_interleave(h // g, dim=-3)
    values = values.repeat([1] * (values.dim() - 3) + [h // g, 1, 1])
    return attention(queries, keys, values, mask)
