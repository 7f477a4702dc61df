"""torch.tensor(...) of plain numbers makes a tensor that has forgotten the scores it came from. Divide the
tensor itself.
"""


def normalize_by_sum(scores):
    numbers = scores.tolist()
    return torch.tensor([number / sum(numbers) for number in numbers], dtype=scores.dtype)
