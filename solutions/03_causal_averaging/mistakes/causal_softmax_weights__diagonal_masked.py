"""The softmax of a row in which everything is -inf is 0 / 0, that is NaN. Which token is missing from your
first row?
"""


def causal_softmax_weights(length):
    hidden = torch.triu(torch.ones(length, length))
    scores = torch.zeros(length, length).masked_fill(hidden == 1, float("-inf"))
    return torch.softmax(scores, dim=1)
