"""Calls the private half of the attention that it must write itself.

by_hand: [basics, sums, products, softmaxes]
verdict: review
"""
import torch


def row_sums(x):
    attention, _ = torch._scaled_dot_product_attention_math(x[None], x[None], x[None])
    return x.sum(dim=1) + 0 * attention[0, :, 0]
