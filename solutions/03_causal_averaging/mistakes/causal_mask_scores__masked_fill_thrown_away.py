"""All your scores are 0, as if nothing were masked. `masked_fill` returns a new tensor and leaves the old one
as it is: what becomes of the one that it returns?
"""


def causal_mask_scores(length):
    scores = torch.zeros(length, length)
    scores.masked_fill(torch.tril(torch.ones(length, length)) == 0, float("-inf"))
    return scores
