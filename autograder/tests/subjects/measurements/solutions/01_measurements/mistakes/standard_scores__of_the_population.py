"""The deviation is that of a whole population. What does `ddof` do?"""


def standard_scores(values):
    return (values - values.mean(axis=0)) / values.std(axis=0)
