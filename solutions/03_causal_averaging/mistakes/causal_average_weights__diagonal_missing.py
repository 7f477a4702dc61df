"""Row 0 has nothing to look at, and 0 / 0 is NaN. May a token look at itself?"""


def causal_average_weights(length):
    allowed = torch.tril(torch.ones(length, length), diagonal=-1)
    return allowed / allowed.sum(dim=1, keepdim=True)
