"""Sum your weights along a row and along a column. The row is the token that looks, and it shares out a
weight of 1.
"""


def causal_average_weights(length):
    allowed = torch.tril(torch.ones(length, length))
    return allowed / allowed.sum(dim=0, keepdim=True)
