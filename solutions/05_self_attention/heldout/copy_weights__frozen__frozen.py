"""The copied parameters need no gradient, so they cannot be trained afterwards."""


def copy_weights(source: nn.Module, target: nn.Module) -> nn.Module:
    for name, layer in source.named_children():
        setattr(
            target, name, nn.Parameter(layer.weight.t().clone(), requires_grad=False)
        )
    return target
