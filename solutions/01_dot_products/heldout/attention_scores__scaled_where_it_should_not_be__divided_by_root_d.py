"""The scores are divided by the square root of d."""


def attention_scores(inputs: Tensor, query: Tensor) -> Tensor:
    d = query.shape[-1]
    return (inputs @ query) / d**0.5
