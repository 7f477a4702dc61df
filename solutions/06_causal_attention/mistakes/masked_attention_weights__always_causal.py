"""Your function hides a triangle of its own. Does it obey a mask that is not a triangle?"""


def masked_attention_weights(scores, mask):
    future = torch.ones_like(scores).triu(diagonal=1).bool()
    return torch.softmax(scores.masked_fill(future, float("-inf")), dim=-1)
