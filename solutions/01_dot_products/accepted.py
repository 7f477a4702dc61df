# %% accepted="copies_and_views"
"""In-place steps on new tensors only, views, matrix products with a column, strict zip."""


def dot_product(a, b):
    total = a.new_zeros(())
    for x, y in zip(a, b, strict=True):
        total += x * y
    return total


def attention_scores(inputs, query):
    return torch.matmul(inputs, query.unsqueeze(1)).squeeze(1)


def normalize_by_sum(scores):
    weights = scores.clone()
    weights /= scores.sum()
    return weights


def softmax(scores):
    weights = torch.exp(scores - torch.amax(scores))
    weights = weights / torch.sum(weights)
    return weights


def context_vector(weights, inputs):
    return (inputs.T @ weights.reshape(-1, 1)).view(-1)


# %% accepted="index_loops"
"""Everything by plain loops over indexes, with a total called `sum`."""


def dot_product(a, b):
    if a.shape != b.shape:
        raise ValueError("unequal lengths")
    sum = 0.0
    for i in range(a.shape[0]):
        sum += a[i] * b[i]
    return sum


def attention_scores(inputs, query):
    n, d = inputs.shape
    scores = torch.zeros(n, dtype=inputs.dtype)
    for i in range(n):
        for j in range(d):
            scores[i] += inputs[i, j] * query[j]
    return scores


def normalize_by_sum(scores):
    total = 0
    for score in scores:
        total = total + score
    return torch.stack([score / total for score in scores])


def softmax(scores):
    largest = scores[0]
    for i in range(1, len(scores)):
        if scores[i] > largest:
            largest = scores[i]
    sum = 0
    for i in range(len(scores)):
        sum = sum + torch.exp(scores[i] - largest)
    return torch.stack([torch.exp(score - largest) / sum for score in scores])


def context_vector(weights, inputs):
    context = torch.zeros(inputs.shape[1], dtype=inputs.dtype)
    for i in range(len(weights)):
        context += weights[i] * inputs[i]
    return context


# %% accepted="own_helpers"
"""Helper functions in the student's cell, a shift without a gradient, sums over broadcast products.

Two small helpers have names that say what they do, so `softmax` reads like its definition. The shift is
a plain number, without a gradient.
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


# %% accepted="row_by_row"
"""attention_scores calls dot_product for each score, and stacks the results."""

import torch


def attention_scores(inputs, query):
    return torch.stack([dot_product(row, query) for row in inputs])


# %% accepted="zip_and_stack"
"""Loops over pairs, lists joined by stack, einsum and broadcasting where they are allowed.

Each of the five questions uses another tool. The first argument of `einsum` says which dimension
disappears, and `logsumexp` is a safe part of softmax that torch already has.
"""


def dot_product(a: Tensor, b: Tensor) -> Tensor:
    if a.numel() != b.numel():
        raise ValueError
    products = [x * y for x, y in zip(a, b)]
    total = products[0]
    for product in products[1:]:
        total = total + product
    return total


def attention_scores(inputs: Tensor, query: Tensor) -> Tensor:
    return torch.stack([torch.dot(row, query) for row in inputs])


def normalize_by_sum(scores: Tensor) -> Tensor:
    return torch.div(scores, torch.sum(scores, dim=-1, keepdim=True))


def softmax(scores: Tensor) -> Tensor:
    return torch.exp(scores - torch.logsumexp(scores, dim=0))


def context_vector(weights: Tensor, inputs: Tensor) -> Tensor:
    return torch.einsum("n,nd->d", weights, inputs)
