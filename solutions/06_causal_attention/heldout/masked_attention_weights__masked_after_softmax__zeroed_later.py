"""The softmax runs over all scores and hidden weights are set to 0 afterwards, so that rows do not sum
to 1.
"""


def masked_attention_weights(scores: Tensor, mask: Tensor) -> Tensor:
    probs = nn.functional.softmax(scores, dim=-1)
    keep = (~mask).to(probs.dtype)
    return probs * keep
