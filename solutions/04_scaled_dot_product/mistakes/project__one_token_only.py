"""Your product works for a single token and not for many. On which side of the matrix must the tokens
stand, so that each row is one?
"""


def project(x, W_query, W_key, W_value):
    return W_query.T @ x, W_key.T @ x, W_value.T @ x
