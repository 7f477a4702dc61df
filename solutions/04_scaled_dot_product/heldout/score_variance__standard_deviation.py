"""The root of the variance."""


def score_variance(queries, keys, scaled):
    factor = keys.shape[-1] ** -0.5 if scaled else 1.0
    products = queries.matmul(keys.transpose(0, 1)) * factor
    return products.flatten().var().sqrt()
