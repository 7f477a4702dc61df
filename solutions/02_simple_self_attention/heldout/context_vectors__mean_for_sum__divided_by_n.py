"""The weighted sum is divided by the number of tokens."""


def context_vectors(weights: Tensor, inputs: Tensor) -> Tensor:
    weighted = weights.unsqueeze(-1) * inputs.unsqueeze(-3)
    return weighted.mean(dim=-2)
