"""Your columns sum to 1, your rows do not. The row is the token that looks: over which dimension does it
share out its weight?
"""


def causal_softmax_weights(length):
    hidden = torch.triu(torch.ones(length, length), diagonal=1)
    scores = torch.zeros(length, length).masked_fill(hidden == 1, float("-inf"))
    return torch.softmax(scores, dim=0)
