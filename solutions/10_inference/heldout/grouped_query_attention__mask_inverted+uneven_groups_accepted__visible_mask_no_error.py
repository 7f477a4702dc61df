"""The mask is inverted, since torch's function takes True as visible, and nothing is checked: no ValueError
is raised for a wrong number of heads.
"""


def grouped_query_attention(queries, keys, values, mask=None):
    repeats = queries.shape[-3] // keys.shape[-3]
    k = keys.repeat_interleave(repeats, dim=-3)
    v = values.repeat_interleave(repeats, dim=-3)
    return F.scaled_dot_product_attention(queries, k, v, attn_mask=mask)
