"""The weights are returned instead of the context vectors."""


def simple_self_attention(inputs: Tensor) -> Tensor:
    scores = torch.einsum("...id,...jd->...ij", inputs, inputs)
    weights = torch.softmax(scores, dim=-1)
    context = weights @ inputs
    return weights
