"""Negative scores are set to 0 before dividing and this is done in the tensor of the caller."""


def normalize_by_sum(scores: Tensor) -> Tensor:
    scores.clamp_(min=0.0)
    total = scores.sum(dim=0)
    return scores / total
