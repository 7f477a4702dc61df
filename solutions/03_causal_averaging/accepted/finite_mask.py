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
