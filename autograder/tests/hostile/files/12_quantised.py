"""Returns a quantised tensor, whose values cannot be compared as they are.

verdict: failed
hint: quint8
"""
import warnings

import torch


def row_sums(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.quantize_per_tensor(x.sum(-1), 0.1, 0, torch.quint8)
