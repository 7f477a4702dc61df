"""The standard deviation is returned instead of the variance."""


def score_variance(queries: Tensor, keys: Tensor, scaled: bool) -> Tensor:
    scores = torch.einsum("nd,md->nm", queries, keys)
    divisor = queries.shape[-1] ** 0.5 if scaled else 1
    return (scores / divisor).std()
