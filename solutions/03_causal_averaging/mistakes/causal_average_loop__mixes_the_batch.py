"""Your mean runs over the sequences as well as over the tokens. With a batch of one nobody notices; what
has one sequence to do with another?
"""


def causal_average_loop(x):
    averages = torch.zeros_like(x)
    for t in range(x.shape[1]):
        averages[:, t] = x[:, : t + 1].mean(dim=(0, 1))
    return averages
