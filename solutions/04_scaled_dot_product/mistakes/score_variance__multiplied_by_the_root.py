"""Scaling makes your variance larger. Dividing by 1/sqrt(d) is multiplying by sqrt(d): which of the two
is meant?
"""


def score_variance(queries, keys, scaled):
    scores = queries @ keys.T
    if scaled:
        scores = scores / queries.shape[-1] ** -0.5
    return scores.var()
