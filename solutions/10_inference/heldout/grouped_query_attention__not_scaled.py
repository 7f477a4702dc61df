"""Forgets to divide the scores."""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.shape[-3], keys.shape[-3]
    if h % g != 0:
        raise ValueError("h must be a multiple of g")
    keys = keys.repeat_interleave(h // g, dim=-3)
    values = values.repeat_interleave(h // g, dim=-3)
    scores = queries @ keys.mT
    if mask is not None:
        scores = scores.masked_fill(mask, -math.inf)
    return scores.softmax(dim=-1) @ values
