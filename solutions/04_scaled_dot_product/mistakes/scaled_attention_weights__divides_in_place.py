"""The weights are right, but a step such as `/=` overwrites the exponentials, and the gradient of exp
needs them on its way back. Let the division make a new tensor.
"""


def scaled_attention_weights(scores, d_k):
    scores = scores / d_k**0.5
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    powers /= powers.sum(dim=-1, keepdim=True)
    return powers
