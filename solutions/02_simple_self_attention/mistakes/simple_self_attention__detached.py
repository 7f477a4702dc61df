"""A tensor made of plain numbers has forgotten where they came from, and no gradient finds its way back.
Stay with tensors from beginning to end.
"""


def simple_self_attention(inputs):
    values = inputs.detach()
    return torch.softmax(values @ values.transpose(-2, -1), dim=-1) @ values
