"""Has a softmax computed under a private name.

by_hand: [basics, sums]
verdict: review
hint: softmax
"""
import torch


def row_sums(x):
    return x.sum(dim=1) + 0 * torch._safe_softmax(x, 1)[:, 0]
