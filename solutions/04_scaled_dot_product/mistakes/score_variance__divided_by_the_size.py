"""With scaling your variance falls below 1 as the head grows. The scores are divided by the root; what
does a factor c do to a variance?
"""


def score_variance(queries, keys, scaled):
    scores = queries @ keys.T
    if scaled:
        scores = scores / queries.shape[-1]
    return scores.var()
