"""For a single sentence dimension 1 is the last one, but in a batch it is not. Count from the end."""


def attention_weights(scores):
    return torch.softmax(scores, dim=1)
