# %% accepted="by_addition"
"""Doubles by adding, and sums the rows in a loop."""


def add(a, b):
    return a + b


def double(x):
    return add(x, x)


def row_sums(x):
    return torch.stack([sum(row) for row in x])
