"""All weights of a sentence together sum to 1. Each row has one whole attention of its own."""


def attention_weights(scores):
    return torch.softmax(scores.flatten(-2), dim=-1).reshape(scores.shape)
