"""Query heads that cannot be shared evenly raise no ValueError. Who checks that h is a multiple of g?"""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.shape[-3], keys.shape[-3]
    keys = keys.repeat_interleave(h // g, dim=-3)
    values = values.repeat_interleave(h // g, dim=-3)
    return attention(queries, keys, values, mask)
