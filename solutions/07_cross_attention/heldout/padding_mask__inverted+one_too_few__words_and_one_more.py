"""The mask is inverted, True for words, and it counts one position too many as a word."""


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    index = torch.arange(max_length).unsqueeze(0)
    return index.le(lengths.unsqueeze(-1))
