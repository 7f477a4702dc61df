"""The largest score gets the smallest weight. Follow the sign of the exponent through your code."""


def softmax(scores):
    powers = torch.exp(scores.min() - scores)
    return powers / powers.sum()
