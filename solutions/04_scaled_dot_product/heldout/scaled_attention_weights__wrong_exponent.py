"""Multiplies with a power of minus 0.05."""


def scaled_attention_weights(scores, d_k):
    return torch.softmax(scores * d_k**-0.05, dim=-1)
