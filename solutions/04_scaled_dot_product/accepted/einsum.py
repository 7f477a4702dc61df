"""Every product by einsum, and the scaling as a factor on the queries.

No transpose is written anywhere, and scaling the queries takes fewer divisions than scaling all their
scores.
"""


def project(x, W_query, W_key, W_value):
    return [torch.einsum("...i,io->...o", x, W) for W in (W_query, W_key, W_value)]


def attention_scores(queries, keys):
    return torch.einsum("...nd,...md->...nm", queries, keys)


def score_variance(queries, keys, scaled):
    scale = queries.shape[-1] ** -0.5 if scaled else 1.0
    return torch.var(torch.einsum("nd,md->nm", queries * scale, keys))


def scaled_attention_weights(scores, d_k):
    return (scores * d_k**-0.5).softmax(-1)


def scaled_dot_product_attention(queries, keys, values):
    weights = torch.einsum(
        "...nd,...md->...nm", queries * queries.size(-1) ** -0.5, keys
    ).softmax(-1)
    return torch.einsum("...nm,...mv->...nv", weights, values)
