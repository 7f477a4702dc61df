"""The values are mixed with the scores themselves. What turns scores into weights that sum to 1?"""


def scaled_dot_product_attention(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1)
    scores = scores / keys.shape[-1] ** 0.5
    torch.softmax(scores, dim=-1)
    return scores @ values
