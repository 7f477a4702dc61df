"""A row of the mask belongs to a row of the scores. What does your function do to the mask first?"""


def masked_attention_weights(scores, mask):
    return torch.softmax(
        scores.masked_fill(mask.mT if mask.size(0) == mask.size(1) else mask, float("-inf")), dim=-1
    )
