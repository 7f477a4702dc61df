"""Scores a token's own place with 1."""


def causal_softmax_weights(length):
    s = torch.eye(length).masked_fill(
        torch.ones(length, length).triu(1) == 1, -torch.inf
    )
    return s.softmax(-1)
