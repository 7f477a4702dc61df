"""Look at what the caller's lengths hold after the call. What does -= do to a tensor?"""

import torch


def padding_mask(lengths, max_length):
    lengths -= 1
    return torch.arange(max_length) > lengths.unsqueeze(1)
