"""Nothing is returned instead of the target."""


def copy_weights(source: nn.Module, target: nn.Module) -> nn.Module:
    state = {
        f"{name}": layer.weight.data.T.contiguous()
        for name, layer in source.named_children()
    }
    target.load_state_dict(state)
