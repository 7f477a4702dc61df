"""The scores are divided by d_k instead of by its square root."""


def scaled_attention_weights(scores: Tensor, d_k: int) -> Tensor:
    return torch.softmax(scores / d_k, dim=-1)
