"""The scores are clipped to the range from -80 to 80 to avoid overflow, so scores beyond it are all treated
alike.
"""


def softmax(scores: Tensor) -> Tensor:
    safe = torch.clip(scores, -80.0, 80.0)
    powers = safe.exp()
    weights = powers / powers.sum()
    return weights
