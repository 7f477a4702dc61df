"""The mask is right, but the caller's lengths are changed in place."""


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    columns = []
    for _ in range(max_length):
        columns.append(lengths <= 0)
        lengths -= 1
    return torch.stack(columns, dim=1)
