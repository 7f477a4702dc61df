"""Weights nearer tokens more."""


def causal_average_weights(length):
    i = torch.arange(length, dtype=torch.float32)
    w = (0.5 ** (i[:, None] - i[None, :])).tril()
    return w / w.sum(1, keepdim=True)
