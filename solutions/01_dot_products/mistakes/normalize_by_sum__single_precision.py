"""Scores of float64 come back as float32. Which step changes the dtype?"""


def normalize_by_sum(scores):
    return scores.float() / scores.float().sum()
