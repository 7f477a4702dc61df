"""You made a table to be added to scores. A mask is boolean and says only who is hidden."""


def causal_mask(length):
    return torch.full((length, length), float("-inf")).triu(diagonal=1)
