"""torch.zeros makes float32 unless told otherwise, and what is written into it is rounded. Give it the
dtype of the inputs.
"""


def context_vectors(weights, inputs):
    contexts = torch.zeros(inputs.shape)
    for i in range(inputs.shape[-2]):
        contexts[..., i, :] = (weights[..., i, :, None] * inputs).sum(dim=-2)
    return contexts
