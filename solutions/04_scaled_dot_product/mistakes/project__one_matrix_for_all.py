"""Queries, keys and values come out the same. Each role has a matrix of its own: which ones do you never
use?
"""


def project(x, W_query, W_key, W_value):
    return x @ W_query, x @ W_query, x @ W_query
