"""Distances between the tokens for dot products."""


def pairwise_scores(inputs):
    return torch.cdist(inputs, inputs)
