"""A sigmoid looks at each score alone. In softmax one token can only gain what others of its row lose."""


def attention_weights(scores):
    return torch.sigmoid(scores)
