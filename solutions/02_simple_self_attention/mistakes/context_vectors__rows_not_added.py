"""Every token times every weight is there, but not yet added up: the sum over the tokens looked at is
missing.
"""


def context_vectors(weights, inputs):
    return weights.unsqueeze(-1) * inputs.unsqueeze(-3)
