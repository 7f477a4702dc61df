"""Dividing by the number of scores gives shares only by accident. Add up your weights: what do you get?"""


def normalize_by_sum(scores):
    return scores / len(scores)
