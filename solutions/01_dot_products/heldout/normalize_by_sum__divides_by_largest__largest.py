"""The scores are divided by the largest score instead of by their sum."""


def normalize_by_sum(scores: Tensor) -> Tensor:
    return scores / scores.max()
