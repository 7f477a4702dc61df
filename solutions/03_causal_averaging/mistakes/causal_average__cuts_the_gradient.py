"""The numbers are right, but something cuts the result off from x, as `.detach()`, `.data` and `.tolist()`
do, so nothing could be trained through it.
"""


def causal_average(x):
    allowed = torch.tril(torch.ones(x.shape[-2], x.shape[-2], dtype=x.dtype))
    return allowed / allowed.sum(dim=1, keepdim=True) @ x.detach()
