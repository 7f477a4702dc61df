"""A softmax that is told to answer in float32 does so whatever it is given, and the result follows it. Is the
conversion needed?
"""


def scaled_dot_product_attention(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1)
    weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1, dtype=torch.float32)
    return weights @ values.float()
