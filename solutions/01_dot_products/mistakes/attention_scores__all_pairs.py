"""Only one token asks here. You let every token ask every other one, which is the next notebook's
question.
"""


def attention_scores(inputs, query):
    return inputs @ inputs.T
