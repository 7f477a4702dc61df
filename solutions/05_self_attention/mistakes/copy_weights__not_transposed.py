"""A linear layer keeps one row for each output, your parameter one for each input. Write down both shapes."""


def copy_weights(source, target):
    with torch.no_grad():
        target.W_query.data = source.W_query.weight.detach().clone()
        target.W_key.data = source.W_key.weight.detach().clone()
        target.W_value.data = source.W_value.weight.detach().clone()
    return target
