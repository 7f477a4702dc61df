"""A sigmoid looks at each score alone. In softmax one token can only gain what others lose."""


def softmax(scores):
    return 1 / (1 + torch.exp(-scores))
