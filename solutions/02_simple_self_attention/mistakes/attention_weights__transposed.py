"""The weights themselves are right, but rows and columns have changed places on the way out."""


def attention_weights(scores):
    return torch.softmax(scores, dim=-1).transpose(-2, -1)
