"""The values are made from the keys, so a token passes through two matrices. From what are all three made?"""


def project(x, W_query, W_key, W_value):
    queries = x @ W_query
    keys = x @ W_key
    return queries, keys, keys @ W_value
