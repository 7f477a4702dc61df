"""The scores are divided by the square root of the number of keys instead of d_k."""


def scaled_attention_weights(scores: Tensor, d_k: int) -> Tensor:
    d_k = scores.size(-1)
    scaled = scores / torch.sqrt(torch.tensor(d_k, dtype=scores.dtype))
    return torch.nn.functional.softmax(scaled, dim=-1)
