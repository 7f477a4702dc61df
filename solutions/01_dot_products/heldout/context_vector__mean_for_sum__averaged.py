"""The weighted rows are averaged instead of summed."""


def context_vector(weights: Tensor, inputs: Tensor) -> Tensor:
    weighted = inputs * weights.view(-1, 1)
    return torch.mean(weighted, dim=0)
