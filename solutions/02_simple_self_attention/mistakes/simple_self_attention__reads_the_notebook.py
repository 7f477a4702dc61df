"""One of the three moves uses the notebook's journey, not the tensor that the function is called with."""


def simple_self_attention(inputs):
    weights = torch.softmax(inputs @ inputs.transpose(-2, -1), dim=-1)
    return weights @ journey
