"""The mask is inverted, so that it hides the past with the diagonal instead of the future and it uses -1e9
instead of minus infinity.
"""


def causal_mask_scores(length: int) -> Tensor:
    i = torch.arange(length)[:, None]
    j = torch.arange(length)[None, :]
    return torch.where(j <= i, torch.tensor(-1e9), torch.tensor(0.0))
