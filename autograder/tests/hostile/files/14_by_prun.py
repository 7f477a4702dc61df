"""Replaces a clean definition in a statement that is profiled.

forbid: [einsum]
by_hand: [basics, sums]
verdict: review
hint: einsum
"""
import torch


def row_sums(x):
    return x.sum(dim=-1)


get_ipython().run_line_magic("prun", "-q row_sums = lambda x: torch.einsum('ij->i', x)")
