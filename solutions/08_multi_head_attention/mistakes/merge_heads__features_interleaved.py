"""For each token, all features of the first head come first. In which order do yours come?"""


def merge_heads(x):
    batch, num_heads, length, size = x.shape
    return x.permute(0, 2, 3, 1).reshape(batch, length, num_heads * size)
