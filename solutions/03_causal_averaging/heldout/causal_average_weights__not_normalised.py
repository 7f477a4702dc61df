"""Compares positions and turns the answer into numbers."""


def causal_average_weights(length):
    pos = torch.arange(length)
    return (pos.unsqueeze(1) >= pos.unsqueeze(0)).float()
