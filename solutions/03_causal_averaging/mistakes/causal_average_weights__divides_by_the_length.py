"""All rows are divided by T, but only the last one has T tokens to share among."""


def causal_average_weights(length):
    return torch.tril(torch.ones(length, length)) / length
