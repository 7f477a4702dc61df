"""The diagonal is masked as well, so each token is hidden from itself."""


def causal_mask_scores(length: int) -> Tensor:
    return torch.triu(torch.full((length, length), float("-inf")))
