"""Your weights get sharper as d_k grows, but they should not. Dividing by 1/sqrt(d_k) is multiplying by
sqrt(d_k).
"""


def scaled_attention_weights(scores, d_k):
    return torch.softmax(scores / d_k**-0.5, dim=-1)
