"""Roots of squares for absolute values."""


def normalize_by_sum(scores):
    size = scores.square().sqrt()
    return size / size.sum(dim=-1, keepdim=True)
