"""Sum your weights along a row and along a column. The token that looks is the row, and it is the one who
shares out a weight of 1.
"""


def causal_average_weights(length):
    allowed = torch.tril(torch.ones(length, length))
    return allowed / allowed.sum(dim=0, keepdim=True)
