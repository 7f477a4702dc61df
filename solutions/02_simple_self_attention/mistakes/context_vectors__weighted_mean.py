"""The weights are shares already. Dividing by the number of tokens once more makes every context vector
too small.
"""


def context_vectors(weights, inputs):
    return weights @ inputs / inputs.shape[-2]
