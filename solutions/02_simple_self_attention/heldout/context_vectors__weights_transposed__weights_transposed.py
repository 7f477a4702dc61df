"""The weights are transposed, so the columns are used as weights instead of the rows."""


def context_vectors(weights: Tensor, inputs: Tensor) -> Tensor:
    return torch.einsum("...ji,...jd->...id", weights, inputs)
