"""Dividing by the sum gives negative weights for negative scores. Which function makes shares of any
numbers?
"""


def scaled_attention_weights(scores, d_k):
    scores = scores / d_k**0.5
    return scores / scores.sum(dim=-1, keepdim=True)
