"""The scores are divided by the square root of d."""


def pairwise_scores(inputs: Tensor) -> Tensor:
    d_k = inputs.size(-1)
    scores = torch.matmul(inputs, inputs.transpose(-2, -1))
    return scores / (d_k**0.5)
