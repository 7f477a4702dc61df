"""The shape is right. Does your first head hold some features of all tokens, or all features of some
tokens?
"""


def split_heads(x, num_heads):
    batch, length, size = x.shape
    return x.view(batch, num_heads, length, size // num_heads)
