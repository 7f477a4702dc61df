"""The softmax by hand is right for small scores. What is exp of a very large one, or of a very low one?"""


def masked_attention_weights(scores, mask):
    powers = torch.exp(scores).masked_fill(mask, 0.0)
    return powers / powers.sum(dim=-1, keepdim=True)
