"""Dimension 0 is the column of a single sentence, and the sentence itself in a batch. Which dimension
belongs to the token that is looked at?
"""


def attention_weights(scores):
    return torch.softmax(scores, dim=0)
