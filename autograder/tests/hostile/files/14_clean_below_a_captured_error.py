"""Lets the magic of a whole cell hide the error that a clean definition stands below.

forbid: [einsum]
verdict: review
hint: einsum
"""
%%capture
import torch


def row_sums(x):
    return torch.einsum("ij->i", x)


1 / 0


def row_sums(x):
    return x.sum(dim=-1)
