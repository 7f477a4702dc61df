"""Your function asks with row 1 of its inputs, whatever query it is given. Where is the second argument
used?
"""


def attention_scores(inputs, query):
    return inputs @ inputs[1]
