"""Try scores that are all -1e4. Subtract the largest score with its sign: the largest absolute value can
be far from every score.
"""


def softmax(scores):
    powers = torch.exp(scores - scores.abs().max())
    return powers / powers.sum()
