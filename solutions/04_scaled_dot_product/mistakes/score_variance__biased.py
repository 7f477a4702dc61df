"""For many scores you come close, for few you do not. By what does the unbiased variance divide?"""


def score_variance(queries, keys, scaled):
    scores = queries @ keys.T
    if scaled:
        scores = scores / queries.shape[-1] ** 0.5
    return scores.var(correction=0)
