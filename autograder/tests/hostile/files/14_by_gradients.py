"""Lets autograd add up: the gradient of what is expanded is a sum.

by_hand: [basics]
verdict: review
"""
import torch


def row_sums(x):
    one = torch.ones(len(x), 1, requires_grad=True)
    (one * x.detach()).backward(torch.ones_like(x))
    return one.grad[:, 0]
