"""Cuts the query heads the other way round."""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.size(-3), keys.size(-3)
    if h % g:
        raise ValueError
    grouped = queries.unflatten(-3, (h // g, g))
    return attention(grouped, keys.unsqueeze(-4), values.unsqueeze(-4), mask).flatten(
        -4, -3
    )
