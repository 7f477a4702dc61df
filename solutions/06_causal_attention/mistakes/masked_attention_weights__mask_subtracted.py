"""Subtracting 1 lowers a score a little. How low must it become for its weight to be 0?"""


def masked_attention_weights(scores, mask):
    return torch.softmax(scores - mask.to(scores.dtype), dim=-1)
