"""The scores depend on the inputs twice, as queries and as tokens looked at. .detach() hides one of the
two from the gradient.
"""


def pairwise_scores(inputs):
    return inputs @ inputs.detach().transpose(-2, -1)
