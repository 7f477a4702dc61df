"""The softmax runs over the columns and the scores are divided by the square root of n first."""


def attention_weights(scores: Tensor) -> Tensor:
    n = scores.shape[-1]
    return torch.softmax(scores / n**0.5, dim=-2)
