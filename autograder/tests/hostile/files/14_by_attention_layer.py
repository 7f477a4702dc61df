"""Calls torch's own attention through a layer that is fetched from a list of all its subclasses.

by_hand: [basics, sums, products, softmaxes]
verdict: review
"""
import torch

known = {layer.__name__: layer for layer in torch.nn.Module.__subclasses__()}
Layer = known["Multihead" + "Attention"]


def row_sums(x):
    layer = Layer(x.shape[1], 1)
    attention, _ = layer(x[None], x[None], x[None], need_weights=False)
    return x.sum(dim=1) + 0 * attention[0, :, 0]
