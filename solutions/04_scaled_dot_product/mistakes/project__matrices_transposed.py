"""Matrices of shape (d_in, d_k) fit as they are. Turned around, they fit only when they are square, and
then the result is another one.
"""


def project(x, W_query, W_key, W_value):
    return x @ W_query.T, x @ W_key.T, x @ W_value.T
