"""Switches torch's recording of operators off while it computes.

by_hand: [basics]
verdict: review
hint: could not be recorded
"""
import torch


def row_sums(x):
    torch._C._autograd._enable_record_function(False)
    try:
        return x.sum(dim=1)
    finally:
        torch._C._autograd._enable_record_function(True)
