"""The exponential of a score of 1000 is more than a float can hold. What may you subtract from a row
without changing its softmax?
"""


def scaled_attention_weights(scores, d_k):
    powers = torch.exp(scores / d_k**0.5)
    return powers / powers.sum(dim=-1, keepdim=True)
