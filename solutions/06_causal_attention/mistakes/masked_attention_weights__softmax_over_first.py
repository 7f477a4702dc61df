"""Dimension 0 counts rows, or sequences in a batch. Along which dimension do the tokens lie that are
looked at?"""


def masked_attention_weights(scores, mask):
    return torch.softmax(scores.masked_fill(mask, float("-inf")), dim=0).nan_to_num()
