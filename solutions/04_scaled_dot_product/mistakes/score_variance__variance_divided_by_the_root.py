"""You divide the variance by the root of d_k, and not the scores. A factor c on the scores changes their
variance by c squared.
"""


def score_variance(queries, keys, scaled):
    variance = (queries @ keys.T).var()
    return variance / queries.shape[-1] ** 0.5 if scaled else variance
