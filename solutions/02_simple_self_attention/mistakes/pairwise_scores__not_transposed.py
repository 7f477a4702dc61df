"""The columns of the second factor are what the rows of the first are multiplied with. As it stands, do
these have the same length?
"""


def pairwise_scores(inputs):
    return inputs @ inputs
