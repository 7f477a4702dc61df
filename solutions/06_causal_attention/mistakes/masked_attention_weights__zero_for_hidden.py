"""A score of 0 is an ordinary score. What is its exponential, and what should that of a hidden score be?"""


def masked_attention_weights(scores, mask):
    return torch.softmax(scores.masked_fill(mask, 0.0), dim=-1)
