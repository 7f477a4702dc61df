"""In-place copies in a loop, without any no_grad."""


def copy_weights(source, target):
    for key in ("W_query", "W_key", "W_value"):
        param = getattr(target, key)
        param.copy_(getattr(source, key).weight.T)
    return target
