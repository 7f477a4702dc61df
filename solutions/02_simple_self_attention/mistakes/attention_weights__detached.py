"""The numbers are right, but they have forgotten where they came from, as after .item(), .detach() or
torch.tensor(...). Stay with tensors from beginning to end.
"""


def attention_weights(scores):
    return torch.softmax(scores.detach(), dim=-1)
