"""Nested lists as wide as the longest sentence."""


def padding_mask(lengths, max_length):
    sizes = [int(n) for n in lengths]
    width = max(sizes)
    return torch.tensor([[j >= n for j in range(width)] for n in sizes])
