"""A loop over the sentences that fills slices."""


def padding_mask(lengths, max_length):
    out = torch.zeros(len(lengths), max_length, dtype=torch.bool)
    for b, n in enumerate(lengths.tolist()):
        out[b, n + 1 :] = True
    return out
