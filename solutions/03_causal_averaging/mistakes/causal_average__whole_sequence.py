"""Every row is the mean of the whole sequence, future included. Which weights must be 0?"""


def causal_average(x):
    length = x.shape[-2]
    return torch.ones(length, length, dtype=x.dtype) / length @ x
