"""The exponential is taken without subtracting the largest score, so large scores overflow to nan."""


def attention_weights(scores: Tensor) -> Tensor:
    e = torch.exp(scores)
    return e / e.sum(-1, keepdim=True)
