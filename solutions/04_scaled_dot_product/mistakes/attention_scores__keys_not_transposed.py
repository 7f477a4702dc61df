"""A product of two matrices takes rows of the first and columns of the second. Where are your keys, in
rows or in columns?
"""


def attention_scores(queries, keys):
    return queries @ keys
