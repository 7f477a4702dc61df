"""Which dimension is cut into pieces, the tokens or the features?"""

import torch


def split_heads(x, num_heads):
    batch, length, size = x.shape
    return torch.stack(x.flatten(1).view(batch, length, size).chunk(num_heads, dim=1), dim=1)
