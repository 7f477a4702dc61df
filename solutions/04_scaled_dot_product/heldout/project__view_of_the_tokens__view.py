"""The tokens are flattened with view, which fails on a transposed tensor."""


def project(
    x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    front = x.shape[:-1]
    flat = x.view(-1, x.shape[-1])
    projected = [
        (flat @ W).view(*front, W.shape[-1]) for W in (W_query, W_key, W_value)
    ]
    return tuple(projected)
