"""Returns a tensor without elements, whose row sums would take two gigabytes.

verdict: failed
hint: without elements, but with a huge shape
"""
import torch


def row_sums(x):
    return torch.zeros(2**29, 0)
