"""The weights are copied without being transposed, so the parameters get the shape (d_out, d_in)."""


def copy_weights(source: nn.Module, target: nn.Module) -> nn.Module:
    target.W_query = nn.Parameter(source.W_query.weight.detach().clone())
    target.W_key = nn.Parameter(source.W_key.weight.detach().clone())
    target.W_value = nn.Parameter(source.W_value.weight.detach().clone())
    return target
