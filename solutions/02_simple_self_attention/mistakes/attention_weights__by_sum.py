"""Dividing by the sum of a row does not give shares when some scores are negative. Where is the
exponential?
"""


def attention_weights(scores):
    return scores / scores.sum(dim=-1, keepdim=True)
