"""torch refuses to overwrite a parameter as part of a computation. How do you tell it that this is not
one?
"""


def copy_weights(source, target):
    target.W_query.copy_(source.W_query.weight.T)
    target.W_key.copy_(source.W_key.weight.T)
    target.W_value.copy_(source.W_value.weight.T)
    return target
