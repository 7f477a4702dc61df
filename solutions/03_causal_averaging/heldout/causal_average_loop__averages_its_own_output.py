"""A copy is changed row by row for all sequences at once."""


def causal_average_loop(x):
    y = x.clone()
    for t in range(y.shape[1]):
        y[:, t] = y[:, : t + 1].mean(1)
    return y
