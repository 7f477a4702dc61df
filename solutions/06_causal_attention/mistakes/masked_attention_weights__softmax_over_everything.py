"""All your weights together sum to 1. How many tokens share that one whole, and how much should each have?"""


def masked_attention_weights(scores, mask):
    return torch.softmax(scores.masked_fill(mask, float("-inf")).flatten(), dim=0).view_as(scores)
