"""Dimension 0 counts the rows of a single sentence's scores, and the sentences of a batch. Which dimension
belongs to the token that is looked at?
"""


def attention_weights(scores):
    return torch.softmax(scores, dim=0)
