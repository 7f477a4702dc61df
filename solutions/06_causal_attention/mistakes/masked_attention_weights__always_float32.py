"""float64 scores should give float64 weights. Where do you settle on another type?"""


def masked_attention_weights(scores, mask):
    return torch.softmax(scores.masked_fill(mask, float("-inf")), dim=-1).float()
