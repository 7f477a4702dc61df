"""A low score gives a low weight, but not none. Which score has the exponential 0?"""


def masked_attention_weights(scores, mask):
    return torch.softmax(scores.masked_fill(mask, -1.0), dim=-1)
