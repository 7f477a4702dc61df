"""view and reshape cut the same sequence of numbers into other rows; they do not turn rows into columns.
Print both for a small tensor.
"""


def pairwise_scores(inputs):
    return inputs @ inputs.reshape(*inputs.shape[:-2], inputs.shape[-1], inputs.shape[-2])
