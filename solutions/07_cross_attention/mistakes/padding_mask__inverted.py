"""Read your mask aloud for a sentence of length 2. Does True stand where words are, or where padding is?"""

import torch


def padding_mask(lengths, max_length):
    return torch.arange(max_length) < lengths.unsqueeze(1)
