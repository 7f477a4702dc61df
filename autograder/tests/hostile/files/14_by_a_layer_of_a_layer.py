"""Takes what the question forbids out of a larger module, in which nobody spells its name.

forbid: [Linear, Transformer]
verdict: review
hint: Transformer
"""

import torch
from torch import nn


def row_sums(x):
    layer = nn.Transformer(2, 1, 1, 1, 2).encoder.layers[0].linear1
    return x.sum(dim=-1) + 0 * sum(weight.sum() for weight in layer.parameters()).detach()
