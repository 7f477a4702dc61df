"""Dimensions 0 and 1 of the keys are the last two of a matrix, but in a batch 0 counts the sequences. How do
you count from the end?
"""


def scaled_dot_product_attention(queries, keys, values):
    scores = queries @ keys.transpose(0, 1)
    return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values
