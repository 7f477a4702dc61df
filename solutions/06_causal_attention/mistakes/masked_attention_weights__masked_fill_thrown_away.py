"""Nothing is hidden. masked_fill returns a new tensor and leaves the old one as it is: what becomes of
the one it returns?"""


def masked_attention_weights(scores, mask):
    scores.masked_fill(mask, float("-inf"))
    return torch.softmax(scores, dim=-1)
