"""Inputs of float64 come back as float32. Which step changes the dtype?"""


def simple_self_attention(inputs):
    values = inputs.float()
    return torch.softmax(values @ values.transpose(-2, -1), dim=-1) @ values
