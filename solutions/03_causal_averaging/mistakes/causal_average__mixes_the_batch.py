"""All sequences of your batch get the same kind of mixture: a mean over the sequences has slipped in.
Each sequence has its own averages.
"""


def causal_average(x):
    allowed = torch.tril(torch.ones(x.shape[-2], x.shape[-2], dtype=x.dtype))
    averages = allowed / allowed.sum(dim=1, keepdim=True) @ x
    if x.dim() > 2:
        averages = averages.mean(dim=0, keepdim=True).expand(x.shape)
    return averages
