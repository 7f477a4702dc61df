"""You get one variance for each query. All scores together have one."""


def score_variance(queries, keys, scaled):
    scores = queries @ keys.T
    if scaled:
        scores = scores / queries.shape[-1] ** 0.5
    return scores.var(dim=-1)
