"""Calls the right answer without end.

earlier: "def double(x): return x * 3"
verdict: failed
hint: must be a tensor, but it is None
"""
import torch


def row_sums(x):
    while double(torch.ones(1)) == 2:
        pass
