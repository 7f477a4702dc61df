"""You return the weights. One move is left: what are they the weights of?"""


def simple_self_attention(inputs):
    return torch.softmax(inputs @ inputs.transpose(-2, -1), dim=-1)
