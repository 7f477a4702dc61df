"""Calls what the question forbids by a name that is put together when it runs.

forbid: [einsum]
verdict: review
hint: the module torch itself
"""
import torch


def row_sums(x):
    return getattr(torch, "ein" + "sum")("ij->i", x)
