"""Dimension 0 is the column of a single sentence, and the sentence itself in a batch. Which dimension runs
along a row?
"""


def simple_self_attention(inputs):
    scores = inputs @ inputs.transpose(-2, -1)
    return torch.softmax(scores, dim=0) @ inputs
