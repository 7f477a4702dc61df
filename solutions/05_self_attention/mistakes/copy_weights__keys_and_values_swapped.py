"""Each matrix goes to the parameter of its own name. Compare the names on both sides of each line."""


def copy_weights(source, target):
    with torch.no_grad():
        target.W_query.copy_(source.W_query.weight.T)
        target.W_key.copy_(source.W_value.weight.T)
        target.W_value.copy_(source.W_key.weight.T)
    return target
