"""A head holds neighbouring features. Does yours take them from one place, or here and there?"""


def split_heads(x, num_heads):
    batch, length, size = x.shape
    return x.view(batch, length, size // num_heads, num_heads).permute(0, 3, 1, 2)
