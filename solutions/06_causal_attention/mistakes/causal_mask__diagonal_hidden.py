"""Look at row 0: what is left for the first token? Where should the triangle begin?"""


def causal_mask(length):
    return torch.ones(length, length).triu().bool()
