"""A parameter can only be replaced by a parameter. Wrap the new values, or write into the old ones."""


def copy_weights(source, target):
    target.W_query = source.W_query.weight.T
    target.W_key = source.W_key.weight.T
    target.W_value = source.W_value.weight.T
    return target
