"""Of which type must a mask be, so that masked_fill takes it and ~ inverts it?"""

import torch


def padding_mask(lengths, max_length):
    return (torch.arange(max_length) >= lengths.unsqueeze(1)).float()
