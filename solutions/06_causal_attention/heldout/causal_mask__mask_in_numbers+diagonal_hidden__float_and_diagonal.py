"""The mask is of floats instead of boolean and it hides the diagonal too."""


def causal_mask(length: int) -> Tensor:
    return torch.triu(torch.ones(length, length))
