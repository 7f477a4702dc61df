"""Dividing by the sum of a row does not give shares when some scores are negative. Where is the
exponential?
"""


def simple_self_attention(inputs):
    scores = inputs @ inputs.transpose(-2, -1)
    return scores / scores.sum(dim=-1, keepdim=True) @ inputs
