"""The mask is inverted, the past is hidden instead of the future."""


def causal_mask_scores(length: int) -> Tensor:
    scores = torch.zeros(length, length)
    tril = torch.tril(torch.ones(length, length), diagonal=-1)
    return scores.masked_fill(tril == 1, float("-inf"))
