"""Each row has its own hidden places. How many rows of the mask do you use?"""


def masked_attention_weights(scores, mask):
    return torch.softmax(scores.masked_fill(mask[1], float("-inf")), dim=-1)
