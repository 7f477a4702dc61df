"""The function uses the notebook's journey, not the tensor that it is called with. Look at the names in
its body.
"""


def attention_scores(inputs, query):
    return journey @ query
