"""The mask holds ones and zeros as floats instead of being boolean."""


def causal_mask(length: int) -> Tensor:
    full = torch.ones((length, length))
    upper = torch.triu(full, diagonal=1)
    return upper
