"""Only two dimensions change places. Compare the sizes of your result with the description, one by one."""


def split_heads(x, num_heads):
    batch, length, size = x.shape
    return x.view(batch, length, num_heads, size // num_heads).transpose(1, 3)
