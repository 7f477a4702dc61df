"""Returns a tensor of more dimensions than torch's own operations take.

verdict: failed
hint: with 100 dimensions
"""
import torch


def row_sums(x):
    return x.sum(-1).reshape(*[1] * 99, -1)
