"""All your weights together sum to 1. Each query has a weight of 1 of its own to share out."""


def scaled_attention_weights(scores, d_k):
    return torch.softmax((scores / d_k**0.5).flatten(), dim=0).view(scores.shape)
