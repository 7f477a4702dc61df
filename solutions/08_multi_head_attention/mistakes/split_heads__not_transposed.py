"""Each head attends over tokens. Of heads and tokens, which dimension must stand further to the right?"""


def split_heads(x, num_heads):
    batch, length, size = x.shape
    return x.view(batch, length, num_heads, size // num_heads)
