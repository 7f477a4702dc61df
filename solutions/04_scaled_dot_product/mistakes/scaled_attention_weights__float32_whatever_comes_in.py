"""float64 scores come back as float32. Which step changes the number type? Results keep the dtype of their
inputs.
"""


def scaled_attention_weights(scores, d_k):
    return torch.softmax(scores / d_k**0.5, dim=-1, dtype=torch.float32)
