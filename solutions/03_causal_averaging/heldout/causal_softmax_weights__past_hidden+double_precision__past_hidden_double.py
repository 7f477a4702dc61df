"""The mask is inverted, it hides the past instead of the future and the weights are float64 instead of
float32.
"""


def causal_softmax_weights(length: int) -> Tensor:
    scores = torch.zeros(length, length, dtype=torch.double)
    for i in range(length):
        for j in range(length):
            if j < i:
                scores[i, j] = -float("inf")
    return torch.softmax(scores, dim=1)
