"""The mean of a token and the one before it."""


def causal_average(x):
    earlier = torch.cat([x[..., :1, :], x[..., :-1, :]], dim=-2)
    return (x + earlier) / 2
