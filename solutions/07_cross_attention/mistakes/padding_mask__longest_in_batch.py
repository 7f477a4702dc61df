"""How wide is your mask when even the longest sentence is shorter than max_length?"""

import torch


def padding_mask(lengths, max_length):
    return torch.arange(int(lengths.max())) >= lengths.unsqueeze(1)
