# %% accepted="batch_by_batch"
"""Leading dimensions flattened for bmm, with the weights repeated for every sequence."""


def causal_average(x):
    length, width = x.shape[-2:]
    sequences = x.reshape(-1, length, width)
    weights = torch.tril(torch.ones(length, length)).to(x.dtype)
    weights = (weights / weights.sum(dim=-1, keepdim=True)).repeat(len(sequences), 1, 1)
    return torch.bmm(weights, sequences).reshape(x.shape)


# %% accepted="built_on_each_other"
"""Each answer calls the previous one, as in the three versions of the lecture."""


def causal_average_weights(length):
    weights = torch.tril(torch.ones(length, length))
    weights /= weights.sum(1, keepdim=True)
    return weights


def causal_average(x):
    return context_vectors(causal_average_weights(x.shape[-2]).to(x), x)


def causal_mask_scores(length):
    scores = torch.zeros((length, length))
    scores.masked_fill_(
        torch.triu(torch.ones(length, length, dtype=torch.bool), 1), float("-inf")
    )
    return scores


def causal_softmax_weights(length):
    return attention_weights(causal_mask_scores(length))


# %% accepted="finite_mask"
"""A large negative number inside the softmax; masked again afterwards and renormalised; triu with a
diagonal.
"""


def causal_mask_scores(length):
    return torch.triu(torch.full((length, length), float("-inf")), diagonal=1)


def causal_softmax_weights(length):
    weights = torch.softmax(
        torch.triu(torch.full((length, length), -1e9), diagonal=1), dim=-1
    )
    weights = weights * torch.tril(torch.ones(length, length))
    return weights / weights.sum(-1, keepdim=True)


# %% accepted="plain_python"
"""Everything number by number, from lists and comparisons of positions."""


def causal_average_weights(length):
    return torch.tensor(
        [[1 / (i + 1) if j <= i else 0.0 for j in range(length)] for i in range(length)]
    )


def causal_mask_scores(length):
    scores = torch.zeros(length, length)
    for i in range(length):
        for j in range(i + 1, length):
            scores[i, j] = -torch.inf
    return scores


def causal_average_loop(x):
    B, T, C = x.shape
    xbow = torch.zeros((B, T, C), dtype=x.dtype)
    for b in range(B):
        for t in range(T):
            xprev = x[b, : t + 1]
            xbow[b, t] = torch.mean(xprev, 0)
    return xbow


# %% accepted="positions_compared"
"""Masks from comparing positions, torch.where in place of masked_fill, einsum in place of the product.

Comparing positions says which tokens are visible, just as the causal rule does. There is no triangle that
could be on the wrong side.
"""


def causal_average_weights(length):
    position = torch.arange(length)
    seen = position[None, :] <= position[:, None]
    return seen.float() / (position[:, None] + 1)


def causal_average(x):
    position = torch.arange(x.shape[-2])
    seen = (position[None, :] <= position[:, None]).to(x.dtype)
    return torch.einsum("ts,...sc->...tc", seen / seen.sum(dim=1, keepdim=True), x)


def causal_mask_scores(length):
    position = torch.arange(length)
    return torch.where(position[None, :] > position[:, None], -torch.inf, 0.0)


def causal_softmax_weights(length):
    position = torch.arange(length)
    scores = torch.where(position[None, :] > position[:, None], -torch.inf, 0.0)
    exponentials = scores.exp()
    return exponentials / exponentials.sum(dim=1, keepdim=True)


# %% accepted="running_sums"
"""Averages as running sums, divided by the number of tokens so far; there are no weights.

The sum over the past grows by one token at a time. That is less work than a product with a matrix whose
upper half is zeros.
"""


def causal_average_loop(x):
    total = torch.zeros_like(x[:, 0])
    rows = []
    for t in range(x.shape[1]):
        total = total + x[:, t]
        rows.append(total / (t + 1))
    return torch.stack(rows, dim=1)


def causal_average(x):
    count = torch.arange(1, x.size(-2) + 1, dtype=x.dtype, device=x.device)
    return x.cumsum(dim=-2) / count[:, None]


# %% accepted="sequence_by_sequence"
"""A running sum for each sequence, divided by the number of tokens that are in it."""


def causal_average_loop(x):
    out = torch.zeros_like(x)
    for b in range(x.shape[0]):
        total = torch.zeros_like(x[0, 0])
        for t in range(x.shape[1]):
            total = total + x[b, t]
            out[b, t] = total / (t + 1)
    return out
