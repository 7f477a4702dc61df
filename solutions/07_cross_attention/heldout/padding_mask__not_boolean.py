"""A table of ones with zeros written over the words, as whole numbers."""


def padding_mask(lengths, max_length):
    positions = torch.arange(max_length).unsqueeze(0)
    return torch.where(positions >= lengths[:, None], 1, 0)
