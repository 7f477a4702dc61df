"""Writes attention out, without the mask."""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.size(-3), keys.size(-3)
    if h % g:
        raise ValueError(f"{h} and {g}")
    keys, values = (x.repeat_interleave(h // g, -3) for x in (keys, values))
    scores = queries @ keys.mT * keys.size(-1) ** -0.5
    return scores.softmax(-1) @ values
