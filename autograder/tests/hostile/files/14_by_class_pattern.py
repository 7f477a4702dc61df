"""Reads an attribute by a pattern of a class.

forbid: [einsum]
verdict: review
hint: einsum
"""
import torch


def row_sums(x):
    match torch:
        case object(einsum=add_up):
            return add_up("ij->i", x)
