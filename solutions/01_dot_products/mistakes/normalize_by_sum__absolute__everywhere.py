"""Negative scores keep their sign here, in the sum too. The weights may look strange; the next question
deals with that.
"""


def _positive(t):
    return torch.where(t < 0, -t, t)


def normalize_by_sum(scores):
    total = torch.linalg.vector_norm(scores, ord=1)
    return _positive(scores) / total
