"""Your values are the keys once more. Look at the matrix in the last product."""


def project(x, W_query, W_key, W_value):
    return x @ W_query, x @ W_key, x @ W_key
