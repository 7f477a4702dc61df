"""You average the heads of keys and values, and all query heads look at the mean. Which one belongs to each
group?
"""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.shape[-3], keys.shape[-3]
    if h % g != 0:
        raise ValueError("h must be a multiple of g")
    keys, values = keys.mean(dim=-3, keepdim=True), values.mean(dim=-3, keepdim=True)
    return attention(queries, keys, values, mask)
