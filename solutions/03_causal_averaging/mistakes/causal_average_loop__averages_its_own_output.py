"""Averages are averaged that were made before, and not the tokens alone. Which numbers does the mean of
row 2 read, and who wrote them?
"""


def causal_average_loop(x):
    x = x.clone()
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            x[b, t] = x[b, : t + 1].mean(dim=0)
    return x
