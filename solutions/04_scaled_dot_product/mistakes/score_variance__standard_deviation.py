"""You measure the standard deviation, which grows like the root of the head size. The variance is its
square.
"""


def score_variance(queries, keys, scaled):
    scores = queries @ keys.T
    if scaled:
        scores = scores / queries.shape[-1] ** 0.5
    return scores.std()
