"""The heads of keys and values are tiled, 0 1 0 1, instead of shared by neighbouring query heads, 0 0 1 1."""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.shape[-3], keys.shape[-3]
    if h % g != 0:
        raise ValueError("h must be a multiple of g")
    keys = torch.cat([keys] * (h // g), dim=-3)
    values = torch.cat([values] * (h // g), dim=-3)
    return attention(queries, keys, values, mask)
