"""Row sums of shape (T,) line up with the columns, so each column is divided by the sum of a row. What
does `keepdim=True` change?
"""


def causal_average_weights(length):
    allowed = torch.tril(torch.ones(length, length))
    return allowed / allowed.sum(dim=1)
