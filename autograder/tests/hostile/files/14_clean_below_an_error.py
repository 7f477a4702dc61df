"""Stops its cell with an error, and keeps a clean definition for readers below it.

forbid: [einsum]
verdict: review
hint: einsum
"""
import torch


def row_sums(x):
    return torch.einsum("ij->i", x)


raise RuntimeError("enough")


def row_sums(x):
    return x.sum(dim=-1)
