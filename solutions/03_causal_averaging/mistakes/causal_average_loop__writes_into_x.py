"""The averages are right, but whoever called the function finds them in x too, and the tokens are gone.
Where does the result live?
"""


def causal_average_loop(x):
    original = x.clone()
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            x[b, t] = original[b, : t + 1].mean(dim=0)
    return x
