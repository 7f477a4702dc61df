"""Sum your weights along a row and along a column. Each query shares out a weight of 1 among the keys."""


def scaled_attention_weights(scores, d_k):
    return torch.softmax(scores / d_k**0.5, dim=-2 if scores.dim() > 1 else 0)
