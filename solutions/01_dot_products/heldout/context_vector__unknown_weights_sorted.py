"""Sorts the weights before they are used."""


def context_vector(weights, inputs):
    ordered, _ = torch.sort(weights, descending=True)
    return ordered @ inputs
