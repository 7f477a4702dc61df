"""The caller's own target should change. Which object do you write to?"""

import copy


def copy_weights(source, target):
    target = copy.deepcopy(target)
    with torch.no_grad():
        target.W_query.copy_(source.W_query.weight.T)
        target.W_key.copy_(source.W_key.weight.T)
        target.W_value.copy_(source.W_value.weight.T)
    return target
