"""Helpers in the student's own cell, a shift without a gradient, sums over broadcast products.

Two small helpers have names that say what they do, so that `softmax` reads as its own definition, and
the shift is a plain number that no gradient follows.
"""

from functools import reduce
from operator import add, mul


def check_lengths(a, b):
    if len(a) != len(b):
        raise ValueError(f"{len(a)} != {len(b)}")


def exponentials(scores):
    shift = scores.detach().max().item()
    return (scores - shift).exp()


def dot_product(a, b):
    check_lengths(a, b)
    return reduce(add, map(mul, a, b))


def attention_scores(inputs, query):
    return (inputs * query).sum(dim=-1)


def normalize_by_sum(scores):
    return scores * (1 / scores.sum())


def softmax(scores):
    return normalize_by_sum(exponentials(scores))


def context_vector(weights, inputs):
    return (weights[:, None] * inputs).sum(0)
