"""On a batch, all dimensions are turned round, the batch as well, as .T does it. Which two dimensions must
change places, counted from the end?
"""


def pairwise_scores(inputs):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return inputs @ inputs.T
