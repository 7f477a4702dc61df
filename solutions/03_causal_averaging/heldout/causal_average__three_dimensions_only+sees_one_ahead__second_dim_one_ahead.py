"""T is read from dimension 1, which is wrong without exactly one batch dimension and the triangle reaches one
column too far, so each average includes the following token.
"""


def causal_average(x: Tensor) -> Tensor:
    T = x.shape[1]
    mask = torch.tril(torch.ones(T, T, dtype=x.dtype), diagonal=1)
    mask = mask / mask.sum(1, keepdim=True)
    return mask @ x
