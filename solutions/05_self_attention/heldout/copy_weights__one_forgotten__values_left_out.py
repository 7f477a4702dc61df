"""Copies queries and keys only."""


def copy_weights(source, target):
    with torch.no_grad():
        target.W_query.copy_(source.W_query.weight.T)
        target.W_key.copy_(source.W_key.weight.T)
    return target
