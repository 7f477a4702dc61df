"""Which of the two modules gives, and which takes? Read the arguments once more."""


def copy_weights(source, target):
    with torch.no_grad():
        source.W_query.weight.copy_(target.W_query.T)
        source.W_key.weight.copy_(target.W_key.T)
        source.W_value.weight.copy_(target.W_value.T)
    return target
