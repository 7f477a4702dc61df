"""An upper triangle, normalised with keepdim."""


def causal_average_weights(length):
    m = torch.triu(torch.ones((length, length)))
    m = m / torch.sum(m, dim=1, keepdim=True)
    return m
