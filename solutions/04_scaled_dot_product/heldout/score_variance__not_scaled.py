"""The variance by its formula; the flag is not read."""


def score_variance(queries, keys, scaled=False):
    flat = (queries @ keys.T).reshape(-1)
    centred = flat - flat.mean()
    return (centred**2).sum() / (flat.numel() - 1)
