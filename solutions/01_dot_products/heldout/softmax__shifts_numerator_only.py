"""Writes the shifted exponent and the plain denominator in one line."""


def softmax(scores):
    return torch.exp(scores - torch.max(scores)) / torch.exp(scores).sum()
