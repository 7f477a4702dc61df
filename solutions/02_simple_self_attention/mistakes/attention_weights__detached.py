"""A tensor made of plain numbers has forgotten where they came from, and no gradient finds its way back.
Stay with tensors from beginning to end.
"""


def attention_weights(scores):
    return torch.softmax(scores.detach(), dim=-1)
