"""The result is right, but a step such as `/=` divides the caller's queries in place, and the next
measurement starts from smaller ones.
"""


def score_variance(queries, keys, scaled):
    if scaled:
        queries /= queries.shape[-1] ** 0.5
    return (queries @ keys.T).var()
