"""Flattens all but the last dimension and multiplies."""


def pairwise_scores(inputs):
    flat = inputs.flatten(0, -2) if inputs.dim() > 2 else inputs
    return torch.mm(flat, flat.t())
