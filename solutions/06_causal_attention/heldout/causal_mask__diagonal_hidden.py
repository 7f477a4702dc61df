"""An upper triangle turned boolean by a comparison."""


def causal_mask(length):
    ones = torch.ones((length, length))
    return torch.triu(ones, diagonal=0) == 1
