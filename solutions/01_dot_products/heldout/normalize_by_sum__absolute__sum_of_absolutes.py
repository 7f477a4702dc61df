"""The scores are divided by the sum of their absolute values, so negative ones are treated differently."""


def normalize_by_sum(scores: Tensor) -> Tensor:
    denominator = torch.linalg.vector_norm(scores, ord=1)
    return torch.div(scores, denominator)
