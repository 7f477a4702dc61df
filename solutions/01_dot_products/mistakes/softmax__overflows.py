"""The formula is right on paper. What does torch.exp make of 1e4, and of -1e4? Think of the number you may
subtract from all scores.
"""


def softmax(scores):
    powers = torch.exp(scores)
    return powers / powers.sum()
