"""No gradients flow to the matrices or to x and the values are made from the keys' matrix
instead of W_value.
"""


def project(
    x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    with torch.no_grad():
        queries = x @ W_query
        keys = x @ W_key
        values = x @ W_key
    return queries, keys, values
