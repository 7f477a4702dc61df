"""Averages as running sums divided by the number of tokens so far; no weights at all.

It notices that an average over the past is a sum that grows by one token at a time. That is less work
than a product with a matrix that is half zeros.
"""


def causal_average_loop(x):
    total = torch.zeros_like(x[:, 0])
    rows = []
    for t in range(x.shape[1]):
        total = total + x[:, t]
        rows.append(total / (t + 1))
    return torch.stack(rows, dim=1)


def causal_average(x):
    count = torch.arange(1, x.size(-2) + 1, dtype=x.dtype, device=x.device)
    return x.cumsum(dim=-2) / count[:, None]
