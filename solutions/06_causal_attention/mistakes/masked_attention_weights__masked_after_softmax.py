"""Sum your rows. Part of the whole went to hidden tokens before they were struck out."""


def masked_attention_weights(scores, mask):
    weights = torch.softmax(scores, dim=-1)
    return weights.masked_fill(mask, 0.0)
