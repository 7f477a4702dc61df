"""The loop starts with the second row, so the first token is left out and the weights are divided by their
sum first.
"""


def context_vector(weights: Tensor, inputs: Tensor) -> Tensor:
    weights = weights / torch.sum(weights)
    out = torch.zeros_like(inputs[0])
    for i in range(1, inputs.size(0)):
        out = out + weights[i] * inputs[i]
    return out
