"""No clone: the result is another name for x, and the slices use a batch and token index."""


def causal_average_loop(x):
    out = x
    for i in range(x.size(0)):
        for j in range(x.size(1)):
            out[i, j, :] = torch.mean(out[i, : j + 1, :], dim=0)
    return out
