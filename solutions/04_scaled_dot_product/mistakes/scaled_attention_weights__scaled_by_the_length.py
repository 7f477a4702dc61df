"""You scale by the number of keys, which the shape of the scores shows. The width of a key is what d_k
says.
"""


def scaled_attention_weights(scores, d_k):
    return torch.softmax(scores / scores.shape[-1] ** 0.5, dim=-1)
