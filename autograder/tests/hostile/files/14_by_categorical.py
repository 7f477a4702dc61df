"""Has a softmax computed by a distribution.

by_hand: [basics, sums]
verdict: review
"""
import torch


def row_sums(x):
    return x.sum(dim=1) + 0 * torch.distributions.Categorical(logits=x).probs[:, 0]
