"""Inputs of float64 come back as float32. Which step changes the dtype?"""


def pairwise_scores(inputs):
    values = inputs.float()
    return values @ values.transpose(-2, -1)
