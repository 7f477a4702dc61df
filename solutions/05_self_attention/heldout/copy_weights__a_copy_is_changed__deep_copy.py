"""The weights go into a copy of the target, so the target itself stays as it was."""


def copy_weights(source: nn.Module, target: nn.Module) -> nn.Module:
    import copy

    result = copy.deepcopy(target)
    with torch.no_grad():
        result.W_query.copy_(source.W_query.weight.T)
        result.W_key.copy_(source.W_key.weight.T)
        result.W_value.copy_(source.W_value.weight.T)
    return result
