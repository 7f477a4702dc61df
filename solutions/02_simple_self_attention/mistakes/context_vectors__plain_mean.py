"""Every token counts the same in your result. Where do the weights come in?"""


def context_vectors(weights, inputs):
    return inputs.mean(dim=-2, keepdim=True).expand_as(inputs).clone()
