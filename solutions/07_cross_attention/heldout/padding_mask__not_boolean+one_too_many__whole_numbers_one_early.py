"""The mask holds whole numbers instead of booleans and it hides the last word of each sentence too."""


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    mask = torch.zeros(lengths.shape[0], max_length, dtype=torch.long)
    for row in range(lengths.shape[0]):
        mask[row, lengths[row] - 1 :] = 1
    return mask
