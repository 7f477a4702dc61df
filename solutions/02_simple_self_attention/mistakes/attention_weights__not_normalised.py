"""The largest weight of every row is 1. What do your rows sum to?"""


def attention_weights(scores):
    return torch.exp(scores - scores.amax(dim=-1, keepdim=True))
