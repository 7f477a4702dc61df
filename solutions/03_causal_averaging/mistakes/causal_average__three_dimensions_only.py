"""`B, T, C = x.shape` works for exactly three dimensions. Does a step of yours need three? Count from
the end: where is T in any shape?
"""


def causal_average(x):
    B, T, C = x.shape
    allowed = torch.tril(torch.ones(T, T, dtype=x.dtype))
    return allowed / allowed.sum(dim=1, keepdim=True) @ x
