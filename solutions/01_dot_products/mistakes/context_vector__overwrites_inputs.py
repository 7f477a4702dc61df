"""After the call, look at inputs again: they have changed. Which step writes into them, as `*=` would?"""


def context_vector(weights, inputs):
    inputs *= weights[:, None]
    return inputs.sum(dim=0)
