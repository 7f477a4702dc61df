"""Call the function with other tokens: does the result change? It reads a name that belongs to the
notebook and not to its arguments.
"""


def project(x, W_query, W_key, W_value):
    return journey @ W_query, journey @ W_key, journey @ W_value
