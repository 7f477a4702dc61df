"""A score of -1 lowers a token's weight but does not hide it: exp(-1) is 0.37. Which score has the
exponential 0?
"""


def causal_mask_scores(length):
    return -torch.triu(torch.ones(length, length), diagonal=1)
