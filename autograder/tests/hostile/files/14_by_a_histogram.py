"""Lets a plot add up what it must add up in torch.

by_hand: [basics]
verdict: review
hint: matplotlib
"""
import matplotlib.pyplot as plt
import torch


def row_sums(x):
    sums = [plt.hist([0.5] * len(row), bins=1, weights=row)[0][0] for row in x.tolist()]
    return torch.tensor(sums, dtype=x.dtype)
