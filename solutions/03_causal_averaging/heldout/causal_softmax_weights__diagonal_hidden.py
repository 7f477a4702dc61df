"""A triangle that begins at the diagonal, by triu of infinities."""


def causal_softmax_weights(length):
    return torch.full((length, length), float("-inf")).triu().softmax(dim=1)
