"""It takes only batches with three dimensions, so a single sentence gives an error."""


def pairwise_scores(inputs: Tensor) -> Tensor:
    swapped = inputs.permute(0, 2, 1)
    return torch.bmm(inputs, swapped)
