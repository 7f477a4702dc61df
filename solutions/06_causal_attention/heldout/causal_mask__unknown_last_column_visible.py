"""The loop over the columns ends one too early, so that everybody sees the last token."""


def causal_mask(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        mask[i, i + 1 : length - 1] = True
    return mask
