"""One mean and one deviation serve all columns. Which axis holds the measurements of one quantity?"""


def standard_scores(values):
    return (values - values.mean()) / values.std(ddof=1)
