"""Look at what the caller's queries and keys hold after the call. Which line writes into them?"""


def score_variance(queries, keys, scaled):
    if scaled:
        queries /= queries.shape[-1] ** 0.5
    return (queries @ keys.T).var()
