"""The weights go through a state_dict."""


def copy_weights(source, target):
    weights = {
        name.removesuffix(".weight"): weight.t()
        for name, weight in source.state_dict().items()
    }
    target.load_state_dict(weights)
    return target
