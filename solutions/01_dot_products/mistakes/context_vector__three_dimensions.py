"""The example has three dimensions, other inputs have more or fewer. Where does your function learn how
long a token's vector is?
"""


def context_vector(weights, inputs):
    context = torch.zeros(3, dtype=inputs.dtype)
    for weight, row in zip(weights, inputs):
        context = context + weight * row
    return context
