"""In your row 0 everything is hidden, and the softmax of such a row is NaN. May a token look at itself?"""


def causal_mask_scores(length):
    hidden = torch.triu(torch.ones(length, length))
    return torch.zeros(length, length).masked_fill(hidden == 1, float("-inf"))
