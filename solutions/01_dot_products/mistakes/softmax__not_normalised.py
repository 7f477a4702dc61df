"""The largest weight is always 1. What do your weights sum to, and which step is still missing?"""


def softmax(scores):
    return torch.exp(scores - scores.max())
