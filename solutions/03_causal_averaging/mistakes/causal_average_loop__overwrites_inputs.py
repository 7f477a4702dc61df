"""The caller's x has changed. Which line writes into it, and where else could the result go?"""


def causal_average_loop(x):
    original = x.clone()
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            x[b, t] = original[b, : t + 1].mean(dim=0)
    return x
