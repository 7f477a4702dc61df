"""Going through Python lists makes new float32 tensors, whatever the numbers were before. Stay in torch."""


def copy_weights(source, target):
    for name in ("W_query", "W_key", "W_value"):
        numbers = getattr(source, name).weight.T.tolist()
        setattr(target, name, nn.Parameter(torch.tensor(numbers)))
    return target
