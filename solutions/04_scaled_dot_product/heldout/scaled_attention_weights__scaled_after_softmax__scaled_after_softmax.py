"""The division by the root of d_k comes after the softmax, so the weights do not sum to 1."""


def scaled_attention_weights(scores: Tensor, d_k: int) -> Tensor:
    weights = scores.softmax(dim=-1)
    return weights * d_k**-0.5
