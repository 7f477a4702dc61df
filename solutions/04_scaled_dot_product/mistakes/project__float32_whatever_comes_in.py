"""float64 inputs come back as float32, and half of their digits are gone. Which step converts them, and is it
needed?
"""


def project(x, W_query, W_key, W_value):
    x = x.float()
    return x @ W_query.float(), x @ W_key.float(), x @ W_value.float()
