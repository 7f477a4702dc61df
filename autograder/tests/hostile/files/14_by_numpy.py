"""Computes with numpy what it must compute in torch.

by_hand: [basics]
verdict: review
hint: numpy
"""
import torch


def row_sums(x):
    return torch.from_numpy(x.numpy().sum(axis=1))
