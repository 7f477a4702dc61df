"""Your weights fit the check's 8 tokens and shorter sequences. Where does `length` come in when there are
more?
"""


def causal_average_weights(length):
    allowed = torch.tril(torch.ones(8, 8))
    return (allowed / allowed.sum(dim=1, keepdim=True))[:length, :length]
