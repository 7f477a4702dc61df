"""Each sequence keeps to itself. Which two dimensions change places?"""


def merge_heads(x):
    batch, num_heads, length, size = x.shape
    return x.transpose(0, 2).reshape(batch, length, num_heads * size)
