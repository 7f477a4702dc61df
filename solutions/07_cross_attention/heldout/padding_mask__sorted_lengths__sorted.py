"""Sorts the sentences by their length."""


def padding_mask(lengths, max_length):
    ordered = lengths.sort(descending=True).values
    return torch.arange(max_length) >= ordered[:, None]
