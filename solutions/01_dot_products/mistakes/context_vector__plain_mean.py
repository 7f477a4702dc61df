"""Every token counts the same in your result. Where do the weights come in?"""


def context_vector(weights, inputs):
    return inputs.mean(dim=0)
