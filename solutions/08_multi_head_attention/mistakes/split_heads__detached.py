"""The cut is right, but nothing can be learnt through it. Which step takes the result out of the graph?"""


def split_heads(x, num_heads):
    batch, length, size = x.shape
    return x.view(batch, length, num_heads, size // num_heads).transpose(1, 2).detach()
