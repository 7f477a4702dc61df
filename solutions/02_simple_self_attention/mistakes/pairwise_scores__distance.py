"""These are distances: 0 on the diagonal, and small for good matches. A dot product is large for good
matches.
"""


def pairwise_scores(inputs):
    return torch.cdist(inputs, inputs)
