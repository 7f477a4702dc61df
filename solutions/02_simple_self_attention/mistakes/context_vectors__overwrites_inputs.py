"""After the call, look at inputs again: they have changed. Which step writes into them?"""


def context_vectors(weights, inputs):
    inputs[...] = weights @ inputs
    return inputs
