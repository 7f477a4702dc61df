"""Scores of float64 come back as float32. Which step changes the dtype?"""


def softmax(scores):
    powers = torch.exp((scores - scores.max()).float())
    return powers / powers.sum()
