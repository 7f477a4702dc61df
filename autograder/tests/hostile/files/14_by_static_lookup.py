"""Reads an attribute by inspect.getattr_static.

forbid: [einsum]
by_hand: [basics, sums]
verdict: review
hint: einsum
"""
import inspect

import torch


def row_sums(x):
    return inspect.getattr_static(torch, "mus"[::-1].join(["ein", ""]))("ij->i", x)
