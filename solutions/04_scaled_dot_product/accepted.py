# %% accepted="built_on_each_other"
"""Each answer calls the previous one and the functions that the lesson gives.

Each function adds one step to the previous one, so the last two lines show the whole formula.
"""


def attention_scores(queries, keys):
    return queries @ keys.swapaxes(-1, -2)


def score_variance(queries, keys, scaled):
    scores = attention_scores(queries, keys)
    scores = (
        scores / torch.tensor(queries.shape[1], dtype=scores.dtype).sqrt()
        if scaled
        else scores
    )
    return ((scores - scores.mean()) ** 2).sum() / (scores.numel() - 1)


def scaled_attention_weights(scores, d_k):
    return attention_weights(scores / torch.sqrt(torch.tensor(float(d_k)).to(scores)))


def scaled_dot_product_attention(queries, keys, values):
    weights = scaled_attention_weights(attention_scores(queries, keys), keys.shape[-1])
    return context_vectors(weights, values)


# %% accepted="einsum"
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


# %% accepted="fused"
"""One product for all three projections; the softmax by hand, with the largest score subtracted."""


def project(x, W_query, W_key, W_value):
    widths = [W.shape[1] for W in (W_query, W_key, W_value)]
    return torch.split(x @ torch.cat([W_query, W_key, W_value], dim=1), widths, dim=-1)


def score_variance(queries, keys, scaled):
    scores = torch.mm(queries, keys.t()).flatten()
    variance = torch.cov(scores)
    return variance / queries.shape[1] if scaled else variance


def scaled_attention_weights(scores, d_k):
    scaled = scores / d_k**0.5
    powers = torch.exp(scaled - scaled.amax(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)


def scaled_dot_product_attention(query, key, value):
    root = key.shape[-1] ** 0.25
    scores = (query / root) @ (key / root).transpose(-1, -2)
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return powers @ value / powers.sum(dim=-1, keepdim=True)


# %% accepted="library_layers"
"""The library's linear, softmax and log_softmax; other names for the arguments; locals named as in the
lesson.
"""

import math

import torch.nn.functional as F


def project(x, W_query, W_key, W_value):
    queries = F.linear(x, W_query.T)
    keys = F.linear(x, W_key.T)
    values = F.linear(x, W_value.T)
    return queries, keys, values


def attention_scores(q, k):
    return torch.matmul(q, k.mT)


def scaled_attention_weights(att, dk):
    return F.log_softmax(att / math.sqrt(dk), dim=-1).exp()


def scaled_dot_product_attention(q, k, v):
    """scaled_dot_product_attention of the formula; not F.scaled_dot_product_attention."""
    scores = torch.matmul(q, k.mT)
    all_weights = F.softmax(scores / math.sqrt(k.size(-1)), dim=-1)
    context = torch.matmul(all_weights, v)
    return context


# %% accepted="one_sequence_at_a_time"
"""Batches by recursion: the function calls itself for each sequence, and loops over the queries of one."""


def attention_scores(queries, keys):
    if queries.dim() > 2:
        return torch.stack(
            [attention_scores(q, k) for q, k in zip(queries, keys, strict=True)]
        )
    return torch.stack([(keys * query).sum(dim=1) for query in queries])


def scaled_dot_product_attention(queries, keys, values):
    if queries.dim() > 2:
        batch = zip(queries, keys, values, strict=True)
        return torch.stack([scaled_dot_product_attention(q, k, v) for q, k, v in batch])
    rows = []
    for query in queries:
        scores = (
            torch.stack([torch.dot(query, key) for key in keys])
            / torch.tensor(keys.shape[1], dtype=keys.dtype).sqrt()
        )
        powers = torch.exp(scores - scores.max())
        context = (powers / powers.sum()) @ values
        rows.append(context)
    return torch.stack(rows)
