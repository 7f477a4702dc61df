"""All three are right, but they are returned in another order than the description says. Whoever unpacks
them will take one for another.
"""


def project(x, W_query, W_key, W_value):
    return x @ W_key, x @ W_query, x @ W_value
