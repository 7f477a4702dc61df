"""The module keeps its old parameters: an assignment to a name only gives the name another tensor. How
do you write into the parameter itself?
"""


def copy_weights(source, target):
    W_query, W_key, W_value = target.W_query, target.W_key, target.W_value
    W_query = nn.Parameter(source.W_query.weight.T)
    W_key = nn.Parameter(source.W_key.weight.T)
    W_value = nn.Parameter(source.W_value.weight.T)
    return target
