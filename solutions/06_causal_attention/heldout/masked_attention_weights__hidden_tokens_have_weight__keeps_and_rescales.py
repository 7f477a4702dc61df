"""The mask is inverted, so that what should be hidden is visible, and the scores are divided once more by
the root of their number.
"""


def masked_attention_weights(scores: Tensor, mask: Tensor) -> Tensor:
    s = scores / scores.shape[-1] ** 0.5
    s = torch.where(mask, s, torch.full_like(s, -1e9))
    return torch.softmax(s, dim=-1)
