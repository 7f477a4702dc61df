"""The scores depend on the inputs twice, as queries and as tokens looked at. One of the two is hidden
from the gradient. Does .detach() or .data do that?
"""


def pairwise_scores(inputs):
    return inputs @ inputs.detach().transpose(-2, -1)
