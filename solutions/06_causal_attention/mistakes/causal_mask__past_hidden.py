"""Rows look, columns are looked at. Which side of the diagonal is the future?"""


def causal_mask(length):
    return torch.ones(length, length).tril(diagonal=-1).bool()
