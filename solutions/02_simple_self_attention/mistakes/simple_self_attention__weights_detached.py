"""The result is right, but the gradient flows only through the mix. The weights depend on the inputs as
well; what cuts them off?
"""


def simple_self_attention(inputs):
    weights = torch.softmax(inputs @ inputs.transpose(-2, -1), dim=-1)
    return weights.detach() @ inputs
