"""The upper triangle is kept instead of the lower and each entry is divided by T instead of by the sum of its
row.
"""


def causal_average_weights(length: int) -> Tensor:
    weights = torch.zeros(length, length)
    for t in range(length):
        weights[t, t:] = 1 / length
    return weights
