"""The softmax runs over dimension 0, so columns sum to 1 instead of rows."""


def causal_softmax_weights(length: int) -> Tensor:
    wei = torch.zeros((length, length))
    wei = wei.masked_fill(torch.tril(torch.ones(length, length)) == 0, float("-inf"))
    return torch.softmax(wei, dim=0)
