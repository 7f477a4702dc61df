"""Some scores are negative, so dividing them by a sum gives no shares. Which function makes shares of
them?
"""


def masked_attention_weights(scores, mask):
    visible = scores.masked_fill(mask, 0.0)
    return visible / visible.sum(dim=-1, keepdim=True)
