"""Some scores are negative, so their quotient by a sum is no share. Which function makes shares of them?"""


def masked_attention_weights(scores, mask):
    visible = scores.masked_fill(mask, 0.0)
    return visible / visible.sum(dim=-1, keepdim=True)
