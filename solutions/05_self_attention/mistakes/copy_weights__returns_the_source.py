"""Which of the two modules does the caller get back, and which one is asked for?"""


def copy_weights(source, target):
    with torch.no_grad():
        target.W_query.copy_(source.W_query.weight.T)
        target.W_key.copy_(source.W_key.weight.T)
        target.W_value.copy_(source.W_value.weight.T)
    return source
