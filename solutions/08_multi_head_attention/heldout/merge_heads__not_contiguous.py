"""permute, then view."""


def merge_heads(x):
    b, h, t, s = x.shape
    return x.permute(0, 2, 1, 3).view(b, t, h * s)
