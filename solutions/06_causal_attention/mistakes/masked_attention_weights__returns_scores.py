"""Masked scores are not weights yet. Which step is missing?"""


def masked_attention_weights(scores, mask):
    return scores.masked_fill(mask, float("-inf"))
