"""Call the function with other matrices of the same shapes: do keys and values change? A function should
take all it needs from its arguments.
"""

W_k, W_v = W_key, W_value


def project(x, W_query, W_key, W_value):
    return x @ W_query, x @ W_k, x @ W_v
