"""The weights go through a softmax before they are used."""


def context_vector(weights: Tensor, inputs: Tensor) -> Tensor:
    attn_weights = torch.softmax(weights, dim=0)
    context_vec = torch.zeros(inputs.shape[1], dtype=inputs.dtype)
    for i, x_i in enumerate(inputs):
        context_vec = context_vec + attn_weights[i] * x_i
    return context_vec
