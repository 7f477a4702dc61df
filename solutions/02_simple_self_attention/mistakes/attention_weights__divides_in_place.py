"""A step in place, such as `/=`, overwrites numbers that the gradient needs on its way back. Let it make
a new tensor.
"""


def attention_weights(scores):
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    powers /= powers.sum(dim=-1, keepdim=True)
    return powers
