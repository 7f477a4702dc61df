"""Each answer calls the one before it and the functions that the lesson gives.

Each function adds one step to the one before it, so the formula can be read off from the last two lines.
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
