"""Positions count from 0. At which position does the padding of a sentence of length 2 begin?"""

import torch


def padding_mask(lengths, max_length):
    return torch.arange(max_length) > lengths.unsqueeze(1)
