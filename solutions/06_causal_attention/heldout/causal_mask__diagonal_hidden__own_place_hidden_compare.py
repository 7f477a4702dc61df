"""The mask hides the diagonal too, so that a token may not look at itself."""


def causal_mask(length: int) -> Tensor:
    t = torch.arange(length)
    return t.unsqueeze(0) >= t.unsqueeze(1)
