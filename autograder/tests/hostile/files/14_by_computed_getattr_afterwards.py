"""Fetches the notebook's names by a computed getattr after a clean definition, and replaces that there.

forbid: [einsum]
by_hand: [basics, sums]
verdict: review
hint: einsum
"""
import torch


def row_sums(x):
    return x.sum(dim=-1)


names = getattr(row_sums, "__glo" + "bals__")
names["row_" + "sums"] = lambda x: getattr(torch, "ein" + "sum")("ij->i", x)
