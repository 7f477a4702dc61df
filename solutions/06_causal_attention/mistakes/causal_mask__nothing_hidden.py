"""triu returns a new tensor and leaves the old one as it is. Which of them do you return?"""


def causal_mask(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    mask.logical_or(torch.ones(length, length).triu(diagonal=1).bool())
    return mask
