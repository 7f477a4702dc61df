"""Rounds the weights to two decimals, as they stand in the text, before it mixes."""


def context_vector(weights, inputs):
    rounded = (weights * 100).round() / 100
    return rounded @ inputs
