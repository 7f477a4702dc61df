"""Boolean indexing of the wrong side."""


def causal_mask_scores(length):
    m = torch.zeros(length, length)
    r = torch.arange(length)
    m[r[:, None] > r[None, :]] = -torch.inf
    return m
