"""After the call, look at inputs again: a step such as *= writes the products into the caller's tensor."""


def attention_scores(inputs, query):
    inputs *= query
    return inputs.sum(dim=-1)
