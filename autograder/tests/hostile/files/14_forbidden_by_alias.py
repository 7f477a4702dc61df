"""Calls what the question forbids under another name, through a helper.

forbid: [einsum]
verdict: review
hint: einsum
"""
from torch import einsum as e


def helper(x):
    return e("ij->i", x)


def row_sums(x):
    return helper(x)
