"""The result has a dimension of size 1 that the scores do not have. Print the shape after each step."""


def normalize_by_sum(scores):
    column = scores.unsqueeze(-1)
    return column / column.sum()
