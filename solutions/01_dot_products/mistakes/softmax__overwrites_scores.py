"""After the call, look at scores again: a step such as -= shifts the caller's tensor, not a copy."""


def softmax(scores):
    scores -= scores.max()
    powers = torch.exp(scores)
    return powers / powers.sum()
