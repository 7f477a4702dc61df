"""Multiplies the scores with the visible places."""


def masked_attention_weights(scores, mask):
    visible = mask.logical_not()
    return (scores * visible).softmax(dim=-1)
