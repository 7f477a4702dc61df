"""The parameters share their memory with the source, so training the target changes the source."""


def copy_weights(source: nn.Module, target: nn.Module) -> nn.Module:
    for name in ("W_query", "W_key", "W_value"):
        layer = getattr(source, name)
        getattr(target, name).data = layer.weight.data.T
    return target
