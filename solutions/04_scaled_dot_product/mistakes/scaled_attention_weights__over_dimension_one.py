"""In a batch, dimension 1 holds the queries, so they compete for each key. Which dimension counts the
keys, in any shape?
"""


def scaled_attention_weights(scores, d_k):
    return torch.softmax(scores / d_k**0.5, dim=1 if scores.dim() > 1 else 0)
