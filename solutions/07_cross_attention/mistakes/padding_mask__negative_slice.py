"""Counting from the end works as long as something is left to pad. What does [-0:] select?"""

import torch


def padding_mask(lengths, max_length):
    mask = torch.zeros(len(lengths), max_length, dtype=torch.bool)
    for row, length in enumerate(lengths.tolist()):
        mask[row, -(max_length - length) :] = True
    return mask
