"""A triangle of ones adds up tokens. One more step makes averages of the sums."""


def causal_average(x):
    return torch.tril(torch.ones(x.shape[-2], x.shape[-2], dtype=x.dtype)) @ x
