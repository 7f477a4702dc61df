"""A new tensor is float32 unless told otherwise, and what is written into it or added to it is rounded.
How can it take over the dtype of the inputs?
"""


def context_vectors(weights, inputs):
    contexts = torch.zeros(inputs.shape)
    for i in range(inputs.shape[-2]):
        contexts[..., i, :] = (weights[..., i, :, None] * inputs).sum(dim=-2)
    return contexts
