"""Takes memory bit by bit until there is none.

verdict: [crashed, timed out]
"""
import torch


def row_sums(x):
    hoard = []
    while True:
        hoard.append(torch.empty(1 << 22))
