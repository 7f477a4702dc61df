"""After the call, look at inputs again: they have changed. Which step writes into them, as `*=` would?"""


def attention_scores(inputs, query):
    inputs *= query
    return inputs.sum(dim=-1)
