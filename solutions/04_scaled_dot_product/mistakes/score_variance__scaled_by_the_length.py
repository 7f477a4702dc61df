"""Your scaling depends on the number of queries. A score is a sum of d_k products: which dimension is
that?
"""


def score_variance(queries, keys, scaled):
    scores = queries @ keys.T
    if scaled:
        scores = scores / queries.shape[0] ** 0.5
    return scores.var()
