"""Each head is written one place further, over the features of the one before."""


def merge_heads(x):
    batch, heads, length, size = x.shape
    merged = torch.zeros(batch, length, heads * size, dtype=x.dtype)
    for i in range(heads):
        merged[:, :, i : i + size] = x[:, i]
    return merged
