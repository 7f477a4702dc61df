"""Values may be wider than keys. Does a step need all three to be equally wide, as packing them into one
tensor does?
"""


def project(x, W_query, W_key, W_value):
    return torch.stack([x @ W_query, x @ W_key, x @ W_value])
