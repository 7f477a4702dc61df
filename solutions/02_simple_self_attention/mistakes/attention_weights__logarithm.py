"""All your values are negative: these are the logarithms of the weights."""


def attention_weights(scores):
    return torch.log_softmax(scores, dim=-1)
