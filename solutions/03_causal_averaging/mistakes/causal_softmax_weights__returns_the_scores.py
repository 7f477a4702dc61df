"""The function makes the weights and then hands back the scores. What does its return statement name?"""


def causal_softmax_weights(length):
    hidden = torch.triu(torch.ones(length, length), diagonal=1)
    scores = torch.zeros(length, length).masked_fill(hidden == 1, float("-inf"))
    scores.softmax(dim=1)
    return scores
