"""nn.Softmax over the first dimension of a masked table."""


def causal_softmax_weights(length):
    tbl = torch.zeros(length, length)
    tbl[torch.ones(length, length, dtype=torch.bool).triu(1)] = float("-inf")
    return torch.nn.Softmax(dim=0)(tbl)
