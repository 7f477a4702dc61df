"""`view` needs a tensor that lies in memory in order; a transposed one does not. A matrix product takes any
number of leading dimensions: is the reshaping needed at all?
"""


def project(x, W_query, W_key, W_value):
    flat = x.view(-1, x.shape[-1])
    return tuple((flat @ W).view(*x.shape[:-1], -1) for W in (W_query, W_key, W_value))
