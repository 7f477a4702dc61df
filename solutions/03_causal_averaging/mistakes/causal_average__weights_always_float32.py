"""A product of two number types is an error. Are your weights float32, whatever x is? Which argument
makes them follow x?
"""


def causal_average(x):
    allowed = torch.tril(torch.ones(x.shape[-2], x.shape[-2]))
    return allowed / allowed.sum(dim=1, keepdim=True) @ x
