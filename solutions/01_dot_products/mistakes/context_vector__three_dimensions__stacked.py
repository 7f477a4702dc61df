"""The example has three dimensions, other inputs have more or fewer. Where does your function learn how
long a token's vector is?
"""


def context_vector(weights, inputs):
    parts = [(weights * inputs[:, c]).sum() for c in (0, 1, 2)]
    return torch.stack(parts)
