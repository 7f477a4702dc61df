"""The products of the entries are there, but a dot product is one number a row. Which dimension is left to
add up?
"""


def attention_scores(inputs, query):
    return inputs * query
