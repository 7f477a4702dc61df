"""The order is right but the weights are too even. Which base does the formula raise to the score?"""


def softmax(scores):
    powers = 2 ** (scores - scores.max())
    return powers / powers.sum()
