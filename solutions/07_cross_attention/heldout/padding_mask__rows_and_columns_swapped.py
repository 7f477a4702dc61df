"""Positions down, sentences across."""


def padding_mask(lengths, max_length):
    rows = torch.arange(max_length)[:, None]
    return rows >= lengths[None, :]
