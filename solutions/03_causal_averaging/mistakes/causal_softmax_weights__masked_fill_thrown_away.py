"""All your rows are even over the whole sequence, as if there were no mask. `masked_fill` returns its
result and leaves the scores as they are; which of the two do you use next?
"""


def causal_softmax_weights(length):
    scores = torch.zeros(length, length)
    scores.masked_fill(torch.tril(torch.ones(length, length)) == 0, float("-inf"))
    return torch.softmax(scores, dim=1)
