"""Your result is the same for both values of `scaled`. Is the scaled tensor the one that you measure?"""


def score_variance(queries, keys, scaled):
    scores = queries @ keys.T
    if scaled:
        scores / queries.shape[-1] ** 0.5
    return scores.var()
