"""With two dimensions, 1 is the last one. What is it in a batch?"""


def masked_attention_weights(scores, mask):
    return torch.softmax(scores.masked_fill(mask, float("-inf")), dim=1)
