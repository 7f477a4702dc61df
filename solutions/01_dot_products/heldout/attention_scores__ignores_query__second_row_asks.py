"""The query handed in is ignored, the second row of the inputs asks instead."""


def attention_scores(inputs: Tensor, query: Tensor) -> Tensor:
    query = inputs[min(1, len(inputs) - 1)]
    return torch.einsum("nd,d->n", inputs, query)
