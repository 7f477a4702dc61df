"""After the call, look at the shape of inputs: a method whose name ends in _ changes the caller's tensor."""


def pairwise_scores(inputs):
    copy = inputs.clone()
    return copy @ inputs.transpose_(-2, -1)
