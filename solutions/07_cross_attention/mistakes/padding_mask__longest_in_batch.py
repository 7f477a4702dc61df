"""How wide is your mask when even the longest sentence leaves some room?"""

import torch


def padding_mask(lengths, max_length):
    return torch.arange(int(lengths.max())) >= lengths.unsqueeze(1)
