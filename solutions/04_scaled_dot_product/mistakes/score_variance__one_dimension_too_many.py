"""A tensor with a single value has shape (), not (1,) or (1, 1). What adds the dimension?"""


def score_variance(queries, keys, scaled):
    scores = queries @ keys.T
    if scaled:
        scores = scores / queries.shape[-1] ** 0.5
    return scores.flatten().var(dim=0, keepdim=True)
