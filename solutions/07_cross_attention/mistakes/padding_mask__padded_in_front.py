"""Padding follows the words. On which side does your mask hide?"""

import torch


def padding_mask(lengths, max_length):
    return torch.arange(max_length) < max_length - lengths.unsqueeze(1)
