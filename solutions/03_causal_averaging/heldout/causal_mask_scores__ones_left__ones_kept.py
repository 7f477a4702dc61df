"""The scores on or below the diagonal are 1 instead of 0."""


def causal_mask_scores(length: int) -> Tensor:
    tril = torch.tril(torch.ones(length, length))
    return tril.masked_fill(tril == 0, float("-inf"))
