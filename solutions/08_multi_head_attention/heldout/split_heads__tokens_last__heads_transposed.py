"""The dimensions end in a wrong order: (B, h, s, T), each head transposed."""


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch, tokens, width = x.size()
    x = x.view(batch, tokens, num_heads, width // num_heads)
    return x.permute(0, 2, 3, 1)
