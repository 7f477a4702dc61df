"""The scores of the caller are overwritten and the exponential is taken without subtracting the largest, so
large scores overflow.
"""


def scaled_attention_weights(scores: Tensor, d_k: int) -> Tensor:
    scores /= d_k**0.5
    powers = torch.exp(scores)
    return powers / powers.sum(dim=-1, keepdim=True)
