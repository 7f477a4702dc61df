"""Two tensors come back where three are asked for. Which role has no vector?"""


def project(x, W_query, W_key, W_value):
    queries, keys = x @ W_query, x @ W_key
    return queries, keys
