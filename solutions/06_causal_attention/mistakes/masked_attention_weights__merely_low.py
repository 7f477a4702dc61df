"""What you put in the place of hidden scores is low beside these scores. Is it low beside any scores?"""


def masked_attention_weights(scores, mask):
    return torch.softmax(scores.masked_fill(mask, -100.0), dim=-1)
