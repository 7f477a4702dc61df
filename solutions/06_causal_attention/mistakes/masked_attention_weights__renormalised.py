"""The softmax runs over all scores, and hidden weights become 0 afterwards. If a hidden score is far higher
than the visible ones, the visible weights are 0 already, and nothing is left to divide by. What can you put
in the place of hidden scores before the softmax?
"""


def masked_attention_weights(scores, mask):
    weights = torch.softmax(scores, dim=-1) * ~mask
    return weights / weights.sum(dim=-1, keepdim=True)
