"""After the call, look at inputs again: the result is written into the tensor that it is computed from."""


def simple_self_attention(inputs):
    weights = torch.softmax(inputs @ inputs.transpose(-2, -1), dim=-1)
    inputs[...] = weights @ inputs
    return inputs
