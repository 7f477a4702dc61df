"""The variances of the single rows are averaged instead of taking all scores together and the scores are
divided by d_k instead of its root.
"""


def score_variance(queries: Tensor, keys: Tensor, scaled: bool) -> Tensor:
    wei = queries @ keys.transpose(-2, -1)
    if scaled:
        wei = wei / queries.shape[-1]
    return wei.var(dim=-1).mean()
