"""The result of masked_fill is not kept, so nothing is hidden, and the softmax runs down the columns."""


def masked_attention_weights(scores: Tensor, mask: Tensor) -> Tensor:
    scores.masked_fill(mask, float("-inf"))
    attn = scores.softmax(-2)
    return attn
