"""swapaxes of dimensions 1 and 2, with bmm left out."""


def pairwise_scores(inputs):
    other = torch.swapaxes(inputs, 1, 2)
    return torch.matmul(inputs, other)
