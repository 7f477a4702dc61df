"""The mask is only as wide as the longest sentence instead of max_length."""


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    longest = int(lengths.max())
    return torch.arange(longest).expand(len(lengths), longest) >= lengths.unsqueeze(1)
