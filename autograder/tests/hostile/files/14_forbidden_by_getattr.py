"""Calls what the question forbids by a name that is put together when it runs.

forbid: [einsum]
by_hand: [basics, sums]
verdict: review
hint: einsum
"""
import torch


def row_sums(x):
    return getattr(torch, "ein" + "sum")("ij->i", x)
