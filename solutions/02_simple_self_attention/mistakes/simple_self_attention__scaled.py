"""Scaling by the square root of the dimension comes in exercise 4. Here the scores are the plain dot
products.
"""


def simple_self_attention(inputs):
    scores = inputs @ inputs.transpose(-2, -1) / inputs.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ inputs
