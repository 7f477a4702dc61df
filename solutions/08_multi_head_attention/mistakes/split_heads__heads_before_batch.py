"""What is the first dimension of the result, the sequences or the heads?"""


def split_heads(x, num_heads):
    batch, length, size = x.shape
    return x.view(batch, length, num_heads, size // num_heads).permute(2, 0, 1, 3)
