"""Returns complex numbers, whose comparisons look at the real part only in places.

verdict: failed
hint: complex64
"""
import torch


def row_sums(x):
    return x.sum(-1).to(torch.complex64)
