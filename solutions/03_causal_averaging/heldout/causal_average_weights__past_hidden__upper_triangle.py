"""The upper triangle is kept, so each token averages itself with the future."""


def causal_average_weights(length: int) -> Tensor:
    triangle = torch.ones(length, length).triu()
    return triangle / triangle.sum(1, keepdim=True)
