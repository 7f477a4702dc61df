"""Scaling by the square root of the dimension comes in exercise 4. Here a score is the plain dot product."""


def pairwise_scores(inputs):
    return inputs @ inputs.transpose(-2, -1) / inputs.shape[-1] ** 0.5
