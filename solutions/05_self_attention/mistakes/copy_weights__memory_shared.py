"""Both modules share their numbers: training the target changes the source too. What makes a tensor of
its own?
"""


def copy_weights(source, target):
    target.W_query = nn.Parameter(source.W_query.weight.T)
    target.W_key = nn.Parameter(source.W_key.weight.T)
    target.W_value = nn.Parameter(source.W_value.weight.T)
    return target
