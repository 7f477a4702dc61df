"""The softmax runs over dimension 1, which in a batch counts the tokens that look and not those looked at."""


def masked_attention_weights(scores: Tensor, mask: Tensor) -> Tensor:
    hidden = scores.masked_fill(mask, float("-inf"))
    return torch.softmax(hidden, dim=1)
