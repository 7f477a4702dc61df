"""reshape to the final sizes, with -1."""


def split_heads(x, num_heads):
    n, t = x.size(0), x.size(1)
    return torch.reshape(x, (n, num_heads, t, -1))
