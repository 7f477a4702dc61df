"""After the call, look at inputs again: a step such as *= writes the weighted rows into the
caller's tensor.
"""


def context_vector(weights, inputs):
    inputs *= weights[:, None]
    return inputs.sum(dim=0)
