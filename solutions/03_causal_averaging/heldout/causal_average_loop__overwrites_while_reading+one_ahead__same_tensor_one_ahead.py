"""The averages are written into x itself and each average includes the following token."""


def causal_average_loop(x: Tensor) -> Tensor:
    out = x
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            out[b, t] = x[b, : t + 2].mean(dim=0)
    return out
