"""Every token attends to the tokens of other sentences as well. Are all sentences joined into one?"""


def simple_self_attention(inputs):
    flat = inputs.reshape(-1, inputs.shape[-1])
    return (torch.softmax(flat @ flat.T, dim=-1) @ flat).reshape(inputs.shape)
