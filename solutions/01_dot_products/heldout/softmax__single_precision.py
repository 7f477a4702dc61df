"""Converts by .float() at the beginning."""


def softmax(scores):
    s = scores.float()
    e = torch.exp(s - torch.amax(s))
    return e / torch.sum(e)
