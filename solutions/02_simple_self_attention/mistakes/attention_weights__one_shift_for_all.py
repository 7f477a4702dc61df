"""The largest score of all is subtracted from every row. A row that is far below it vanishes. Which
maximum does a row need?
"""


def attention_weights(scores):
    powers = torch.exp(scores - scores.max())
    return powers / powers.sum(dim=-1, keepdim=True)
