"""With scaling the variance itself is divided by the root of d_k, instead of the scores."""


def score_variance(queries: Tensor, keys: Tensor, scaled: bool) -> Tensor:
    variance = torch.var(torch.mm(queries, keys.t()))
    return variance / queries.shape[1] ** 0.5 if scaled else variance
