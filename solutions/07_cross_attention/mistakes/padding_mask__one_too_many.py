"""Is the last word of each sentence still visible? A sentence of length 2 has words at positions 0 and 1."""

import torch


def padding_mask(lengths, max_length):
    return torch.arange(max_length) >= lengths.unsqueeze(1) - 1
