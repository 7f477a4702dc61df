"""Dimensions 0 and 1 are the last two of a single sentence, but in a batch dimension 0 counts the
sentences. Count from the end.
"""


def pairwise_scores(inputs):
    return inputs @ inputs.transpose(0, 1)
