"""Your rows are the sums of the tokens so far. One more step makes averages of them."""


def causal_average(x):
    return torch.tril(torch.ones(x.shape[-2], x.shape[-2], dtype=x.dtype)) @ x
