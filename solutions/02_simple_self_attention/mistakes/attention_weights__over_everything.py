"""All weights together sum to 1 in your matrix. Each token that asks has an attention of 1 of its own."""


def attention_weights(scores):
    return torch.softmax(scores.flatten(), dim=0).reshape(scores.shape)
