"""Calls what the question forbids by a name that is put together when it runs.

forbid: [einsum]
verdict: review
hint: getattr
"""
import torch


def row_sums(x):
    return getattr(torch, "ein" + "sum")("ij->i", x)
