"""Dividing by the lengths of the vectors gives the cosine of their angle. Here long vectors may score
higher.
"""


def pairwise_scores(inputs):
    directions = inputs / inputs.norm(dim=-1, keepdim=True)
    return directions @ directions.transpose(-2, -1)
