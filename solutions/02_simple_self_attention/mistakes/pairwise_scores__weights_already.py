"""Scores are the plain dot products. Softmax is the next question."""


def pairwise_scores(inputs):
    return torch.softmax(inputs @ inputs.transpose(-2, -1), dim=-1)
