"""Which comes first in the shape, the sentences or the positions?"""

import torch


def padding_mask(lengths, max_length):
    return torch.arange(max_length).unsqueeze(1) >= lengths
