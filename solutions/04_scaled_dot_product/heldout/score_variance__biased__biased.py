"""The variance is the biased one, divided by the count instead of the count minus 1."""


def score_variance(queries: Tensor, keys: Tensor, scaled: bool) -> Tensor:
    s = queries @ keys.T
    if scaled:
        s = s * keys.size(-1) ** -0.5
    return ((s - s.mean()) ** 2).mean()
