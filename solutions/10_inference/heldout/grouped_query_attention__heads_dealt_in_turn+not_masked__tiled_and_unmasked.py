"""The heads of keys and values are tiled instead of shared by neighbours and the mask is ignored."""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.shape[-3], keys.shape[-3]
    if h % g != 0:
        raise ValueError("number of query heads must be a multiple of key/value heads")
    index = torch.arange(h) % g
    k = keys.index_select(-3, index)
    v = values.index_select(-3, index)
    w = torch.softmax(
        torch.matmul(queries, k.transpose(-2, -1)) / math.sqrt(k.size(-1)), dim=-1
    )
    return torch.matmul(w, v)
