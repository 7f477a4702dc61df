"""The padding begins one place too late: the first padded position of each sentence stays visible."""


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(max_length)
    return positions[None, :] > lengths[:, None]
