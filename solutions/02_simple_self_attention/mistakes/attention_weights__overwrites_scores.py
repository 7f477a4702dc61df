"""After the call, look at scores again: -= shifts the caller's tensor, not a copy."""


def attention_weights(scores):
    scores -= scores.amax(dim=-1, keepdim=True)
    return torch.softmax(scores, dim=-1)
