"""The tensor that is read is written to as well, and it is the caller's; a second name, as in `y = x`,
makes no copy. Follow row 2: which rows does it read, and who wrote to them before?
"""


def causal_average_loop(x):
    y = x
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            y[b, t] = x[b, : t + 1].mean(dim=0)
    return y
