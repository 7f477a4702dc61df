"""On a batch, all dimensions are turned round, the batch as well, as .T does it. Which two dimensions must
change places, counted from the end?
"""


def simple_self_attention(inputs):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.softmax(inputs @ inputs.T, dim=-1) @ inputs
