"""Unpacks the shape under other names and builds the weights by comparison."""


def causal_average(x):
    bs, n, _ = x.size()
    row = torch.arange(n).view(n, 1)
    w = (torch.arange(n) <= row).to(x.dtype)
    w = w / w.sum(dim=1, keepdim=True)
    return torch.einsum("ij,bjc->bic", w, x)
