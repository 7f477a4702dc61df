"""The variance of each row, averaged."""


def score_variance(queries, keys, scaled):
    s = queries @ keys.T
    if scaled:
        s = s / keys.size(-1) ** 0.5
    return s.var(dim=1).mean()
