"""unflatten without the swap."""


def split_heads(x, num_heads):
    return x.unflatten(dim=-1, sizes=(num_heads, x.size(-1) // num_heads))
