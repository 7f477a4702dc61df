"""Multiplies the weights with the inverted mask."""


def masked_attention_weights(scores, mask):
    keep = (~mask).to(scores.dtype)
    return torch.softmax(scores, dim=-1) * keep
