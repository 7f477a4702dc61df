"""The numbers are right, but no gradient can pass. Where is the result cut off from the scores?"""


def masked_attention_weights(scores, mask):
    return torch.softmax(scores.detach().masked_fill(mask, float("-inf")), dim=-1)
