"""The condition is read the wrong way round."""


def score_variance(queries, keys, scaled):
    s = torch.einsum("nd,md->nm", queries, keys)
    if not scaled:
        s = s / queries.size(1) ** 0.5
    return torch.var(s)
