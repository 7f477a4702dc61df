"""The flag is inverted, the scores are divided when scaled is False and the variance is the biased one."""


def score_variance(queries: Tensor, keys: Tensor, scaled: bool) -> Tensor:
    scores = queries @ keys.transpose(0, 1)
    if not scaled:
        scores = scores / queries.size(1) ** 0.5
    return scores.var(unbiased=False)
