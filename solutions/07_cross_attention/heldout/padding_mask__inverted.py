"""A comparison by a library function."""


def padding_mask(lengths, max_length):
    places = torch.arange(max_length).expand(lengths.numel(), max_length)
    return torch.lt(places, lengths.unsqueeze(1))
