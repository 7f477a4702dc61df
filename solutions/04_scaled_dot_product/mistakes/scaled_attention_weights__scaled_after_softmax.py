"""Your rows do not sum to 1, because they are divided once more after the softmax. The scaling is for the
scores.
"""


def scaled_attention_weights(scores, d_k):
    return torch.softmax(scores, dim=-1) / d_k**0.5
