"""After the call, look at inputs again: the result is written into the tensor that it is computed from."""


def context_vectors(weights, inputs):
    inputs[...] = weights @ inputs
    return inputs
