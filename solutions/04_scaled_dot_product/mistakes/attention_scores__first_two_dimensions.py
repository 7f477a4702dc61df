"""Dimensions 0 and 1 are the last two of a matrix, but in a batch 0 counts the sequences. How do you count
from the end?
"""


def attention_scores(queries, keys):
    return queries @ keys.transpose(0, 1)
