"""Every sentence of your batch is mixed with the weights of the first one."""


def context_vectors(weights, inputs):
    while weights.dim() > 2:
        weights = weights[0]
    return weights @ inputs
