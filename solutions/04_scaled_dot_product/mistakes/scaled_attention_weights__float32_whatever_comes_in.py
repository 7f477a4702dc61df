"""A softmax with `dtype=torch.float32` answers in float32, whatever it is asked. Results keep the dtype
of their inputs.
"""


def scaled_attention_weights(scores, d_k):
    return torch.softmax(scores / d_k**0.5, dim=-1, dtype=torch.float32)
