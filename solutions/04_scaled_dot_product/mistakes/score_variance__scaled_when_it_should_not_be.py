"""Try `scaled=True` and `scaled=False` on the same tensors: which of your two results is near 1?"""


def score_variance(queries, keys, scaled):
    scores = queries @ keys.T
    if not scaled:
        scores = scores / queries.shape[-1] ** 0.5
    return scores.var()
