"""All your weights together sum to 1. Each row has a weight of 1 of its own to share out."""


def causal_softmax_weights(length):
    hidden = torch.triu(torch.ones(length, length), diagonal=1)
    scores = torch.zeros(length, length).masked_fill(hidden == 1, float("-inf"))
    return torch.softmax(scores.flatten(), dim=0).view(length, length)
