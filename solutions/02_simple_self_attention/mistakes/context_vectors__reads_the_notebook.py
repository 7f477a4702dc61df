"""The function uses the notebook's journey, not the tensor that it is called with. Look at the names in
its body.
"""


def context_vectors(weights, inputs):
    return weights @ journey
