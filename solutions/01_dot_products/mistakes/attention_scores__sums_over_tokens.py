"""You add up over the tokens and get one number for each dimension. A score belongs to a token: over which
dimension do you sum?
"""


def attention_scores(inputs, query):
    return (inputs * query).sum(dim=0)
