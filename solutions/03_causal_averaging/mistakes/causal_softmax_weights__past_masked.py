"""Your first token looks at the whole future, and the last one only at itself. Which triangle must be
hidden?
"""


def causal_softmax_weights(length):
    past = torch.tril(torch.ones(length, length), diagonal=-1)
    scores = torch.zeros(length, length).masked_fill(past == 1, float("-inf"))
    return torch.softmax(scores, dim=1)
