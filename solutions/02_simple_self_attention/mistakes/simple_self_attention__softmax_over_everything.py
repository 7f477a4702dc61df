"""All your weights together sum to 1. Each token that asks has an attention of 1 of its own."""


def simple_self_attention(inputs):
    scores = inputs @ inputs.transpose(-2, -1)
    return torch.softmax(scores.flatten(), dim=0).reshape(scores.shape) @ inputs
