"""Hidden tokens get a weight, too: their scores are only 1 below the others. What must stand in their place,
so that nothing is left for them?
"""


def causal_softmax_weights(length):
    return torch.softmax(torch.tril(torch.ones(length, length)), dim=1)
