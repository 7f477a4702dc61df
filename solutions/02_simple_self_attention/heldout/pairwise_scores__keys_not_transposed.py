"""Calls matmul as a method, on the inputs themselves."""


def pairwise_scores(inputs):
    keys = inputs
    return inputs.matmul(keys)
