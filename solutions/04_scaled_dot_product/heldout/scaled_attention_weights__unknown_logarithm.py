"""The scores are divided by the logarithm of d_k plus 1, and not by its root."""


def scaled_attention_weights(scores, d_k):
    divisor = torch.tensor(float(d_k), dtype=scores.dtype).log() + 1
    return torch.softmax(scores / divisor, dim=-1)
