"""Dimensions 0 and 1 are the last two of a single sentence, but in a batch 0 is the sentence. Count from
the end.
"""


def pairwise_scores(inputs):
    return inputs @ inputs.transpose(0, 1)
