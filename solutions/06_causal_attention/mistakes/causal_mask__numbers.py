"""The places are right. Which type does the exercise ask for?"""


def causal_mask(length):
    return torch.ones(length, length).triu(diagonal=1)
