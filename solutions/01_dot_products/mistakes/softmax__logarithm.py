"""All your values are negative: these are the logarithms of the weights. One step is left."""


def softmax(scores):
    shifted = scores - scores.max()
    return shifted - torch.log(torch.exp(shifted).sum())
