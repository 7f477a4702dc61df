"""Scaling by the square root of the dimension belongs to exercise 4. Here a score is the plain dot
product.
"""


def attention_scores(inputs, query):
    return inputs @ query / inputs.shape[-1] ** 0.5
