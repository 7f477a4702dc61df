"""Each head is to attend over tokens. Which of the two dimensions must stand further to the right?"""


def split_heads(x, num_heads):
    batch, length, size = x.shape
    return x.view(batch, length, num_heads, size // num_heads)
