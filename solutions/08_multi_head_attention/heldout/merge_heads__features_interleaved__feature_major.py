"""The features are interleaved: for each token the first features of all heads, then the second ones."""


def merge_heads(x: Tensor) -> Tensor:
    return torch.einsum("bhts->btsh", x).flatten(2)
