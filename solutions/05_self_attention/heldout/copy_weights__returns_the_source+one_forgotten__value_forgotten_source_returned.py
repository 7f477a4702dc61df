"""W_value is not copied and the source is returned instead of the target."""


def copy_weights(source: nn.Module, target: nn.Module) -> nn.Module:
    with torch.no_grad():
        target.W_query.copy_(source.W_query.weight.transpose(0, 1))
        target.W_key.copy_(source.W_key.weight.transpose(0, 1))
    return source
