"""Subtracts a triangle of ones times infinity."""


def causal_mask_scores(length):
    future = torch.triu(torch.ones(length, length), diagonal=1)
    return future * -torch.inf
