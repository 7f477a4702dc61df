"""Matrix products do not commute. Which factor's rows are the tokens that ask?"""


def context_vectors(weights, inputs):
    return inputs @ weights
