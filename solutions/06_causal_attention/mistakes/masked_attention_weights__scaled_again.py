"""The scores that come in are scaled already. What happens to them in your function?"""


def masked_attention_weights(scores, mask):
    return torch.softmax(scores.masked_fill(mask, float("-inf")) / scores.size(-1) ** 0.5, dim=-1)
