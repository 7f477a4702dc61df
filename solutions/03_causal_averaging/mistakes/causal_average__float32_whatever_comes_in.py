"""A float64 x comes back as float32, and half of its digits are gone. Convert the weights to x's type, not
x to theirs.
"""


def causal_average(x):
    allowed = torch.tril(torch.ones(x.shape[-2], x.shape[-2]))
    return allowed / allowed.sum(dim=1, keepdim=True) @ x.float()
