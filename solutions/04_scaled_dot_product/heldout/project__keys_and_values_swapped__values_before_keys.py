"""The values are returned in second place, the keys in third."""


def project(
    x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    queries = x @ W_query
    keys = x @ W_key
    values = x @ W_value
    return queries, values, keys
