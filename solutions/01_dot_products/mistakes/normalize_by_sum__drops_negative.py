"""Negative scores are divided like the others here, not set to 0. That this gives strange weights is the
point of the next question.
"""


def normalize_by_sum(scores):
    positive = scores.clamp(min=0)
    return positive / positive.sum()
