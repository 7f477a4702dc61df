"""Raw scores times tokens is not yet attention. Which move turns scores into shares?"""


def simple_self_attention(inputs):
    return inputs @ inputs.transpose(-2, -1) @ inputs
