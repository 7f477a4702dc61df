"""The lengths are sorted first, so that the rows no longer belong to their sentences."""


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    ordered, _ = torch.sort(lengths, descending=True)
    mask = torch.ones(len(ordered), max_length, dtype=torch.bool)
    for i, n in enumerate(ordered):
        mask[i, :n] = False
    return mask
