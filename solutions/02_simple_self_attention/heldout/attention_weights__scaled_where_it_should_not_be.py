"""Divides by the root of the number of tokens before the softmax."""


def attention_weights(scores):
    return torch.softmax(scores / scores.size(-1) ** 0.5, dim=-1)
