"""Asks for a tensor of eight gigabytes.

verdict: crashed
hint: allocate
"""
import torch


def row_sums(x):
    return torch.zeros(2 << 30).sum(-1)
