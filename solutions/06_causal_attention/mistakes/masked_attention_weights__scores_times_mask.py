"""Multiplying by 0 makes a score 0, and 0 is an ordinary score. What is its exponential?"""


def masked_attention_weights(scores, mask):
    return torch.softmax(scores * ~mask, dim=-1)
