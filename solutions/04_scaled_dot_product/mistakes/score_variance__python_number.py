"""The number is right, but `.item()` or `float()` makes a Python number of it. The description asks for a
tensor.
"""


def score_variance(queries, keys, scaled):
    scores = queries @ keys.T
    if scaled:
        scores = scores / queries.shape[-1] ** 0.5
    return scores.var().item()
