"""Softmax by hand inside, then einsum."""


def context_vectors(weights, inputs):
    e = (weights - weights.amax(-1, keepdim=True)).exp()
    alpha = e / e.sum(-1, keepdim=True)
    return torch.einsum("...nm,...md->...nd", alpha, inputs)
