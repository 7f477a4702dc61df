"""Assigns nn.Parameter objects with the weights as they are."""


def copy_weights(source, target):
    for name in ("W_query", "W_key", "W_value"):
        w = getattr(source, name).weight.detach().clone()
        setattr(target, name, nn.Parameter(w))
    return target
