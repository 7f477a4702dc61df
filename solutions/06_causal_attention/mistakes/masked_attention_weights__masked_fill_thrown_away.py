"""Nothing is hidden. Does the mask reach the weights, and is the result kept? Some methods change a
tensor, others leave it as it is and return a new one.
"""


def masked_attention_weights(scores, mask):
    scores.masked_fill(mask, float("-inf"))
    return torch.softmax(scores, dim=-1)
