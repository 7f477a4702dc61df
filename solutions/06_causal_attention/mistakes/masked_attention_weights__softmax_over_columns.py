"""Sum your weights over each row and over each column. Which should be 1, if a row is one token that
looks?"""


def masked_attention_weights(scores, mask):
    return torch.softmax(scores.masked_fill(mask, float("-inf")), dim=-2).nan_to_num()
