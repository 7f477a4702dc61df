"""After the call, look at inputs again: they have changed. Which step writes into them?"""


def simple_self_attention(inputs):
    weights = torch.softmax(inputs @ inputs.transpose(-2, -1), dim=-1)
    inputs[...] = weights @ inputs
    return inputs
