"""The mask is inverted: True stands where the words are."""


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    rows = []
    for n in lengths.tolist():
        rows.append([True] * n + [False] * (max_length - n))
    return torch.tensor(rows)
