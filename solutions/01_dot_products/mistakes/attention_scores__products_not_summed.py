"""The products of the entries are there, but each row should give one number. Which dimension is left to
add up?
"""


def attention_scores(inputs, query):
    return inputs * query
