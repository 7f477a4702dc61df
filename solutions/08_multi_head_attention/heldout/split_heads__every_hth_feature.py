"""Head i gets every h-th feature instead of neighbouring ones."""


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    heads = [x[:, :, i::num_heads] for i in range(num_heads)]
    return torch.stack(heads, dim=1)
