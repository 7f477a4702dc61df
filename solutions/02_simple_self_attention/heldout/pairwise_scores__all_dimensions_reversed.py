"""Turns the dimensions with permute, in reversed order."""


def pairwise_scores(inputs):
    dims = list(reversed(range(inputs.dim())))
    return torch.matmul(inputs, inputs.permute(*dims))
