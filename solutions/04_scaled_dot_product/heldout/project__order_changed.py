"""A loop over the matrices, in the order of the library's attention."""


def project(x, W_query, W_key, W_value):
    return tuple(x.matmul(m) for m in (W_key, W_query, W_value))
