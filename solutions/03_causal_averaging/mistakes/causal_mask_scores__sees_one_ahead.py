"""Read row 0 of your mask: how many zeros does it have, and how many tokens has the first token seen?"""


def causal_mask_scores(length):
    hidden = torch.triu(torch.ones(length, length), diagonal=2)
    return torch.zeros(length, length).masked_fill(hidden == 1, float("-inf"))
