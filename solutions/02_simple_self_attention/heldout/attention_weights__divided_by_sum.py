"""Divides with div by a kept sum."""


def attention_weights(scores):
    return scores.div(scores.sum(dim=-1, keepdim=True))
