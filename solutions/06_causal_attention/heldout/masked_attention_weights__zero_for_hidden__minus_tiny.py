"""Hidden scores become -1e-9, a slip for -1e9, which is nearly 0, so hidden tokens keep weight."""


def masked_attention_weights(scores: Tensor, mask: Tensor) -> Tensor:
    scores = scores.masked_fill(mask == True, -1e-9)  # noqa: E712
    return nn.Softmax(dim=-1)(scores)
