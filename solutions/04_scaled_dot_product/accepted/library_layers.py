"""The library's linear, softmax and log_softmax; other names for the arguments; locals named as in the
lesson.
"""

import math

import torch.nn.functional as F


def project(x, W_query, W_key, W_value):
    queries = F.linear(x, W_query.T)
    keys = F.linear(x, W_key.T)
    values = F.linear(x, W_value.T)
    return queries, keys, values


def attention_scores(q, k):
    return torch.matmul(q, k.mT)


def scaled_attention_weights(att, dk):
    return F.log_softmax(att / math.sqrt(dk), dim=-1).exp()


def scaled_dot_product_attention(q, k, v):
    """scaled_dot_product_attention of the formula; not F.scaled_dot_product_attention."""
    scores = torch.matmul(q, k.mT)
    all_weights = F.softmax(scores / math.sqrt(k.size(-1)), dim=-1)
    context = torch.matmul(all_weights, v)
    return context
