"""The functional softmax with a positional dimension."""


def attention_weights(scores):
    w = torch.nn.functional.softmax(scores, 1)
    return w
