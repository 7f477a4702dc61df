"""Divides by the inverse of the root, computed by a negative power."""


def scaled_attention_weights(scores, d_k):
    scale = d_k**-0.5
    return torch.nn.functional.softmax(scores / scale, dim=-1)
