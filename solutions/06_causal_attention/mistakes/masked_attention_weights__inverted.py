"""In this course True means hidden. Who is hidden in yours?"""


def masked_attention_weights(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
