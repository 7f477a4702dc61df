"""Loops over queries, keys and sequences instead of products; Attention takes (n, d_model) only.

It follows one query through the context, as the text tells it, and the shapes cannot be mixed up, since
there are hardly any.
"""

import math

import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        keys = [self.W_k(row) for row in encodings_for_k]
        values = torch.stack([self.W_v(row) for row in encodings_for_v])
        rows = []
        for i, encoding in enumerate(encodings_for_q):
            query = self.W_q(encoding)
            scores = torch.stack([torch.dot(query, key) for key in keys]) / math.sqrt(
                query.numel()
            )
            if mask is not None:
                scores[mask[i]] = float("-inf")
            rows.append(torch.softmax(scores, dim=0) @ values)
        return torch.stack(rows)


def padding_mask(lengths, max_length):
    mask = torch.zeros(len(lengths), max_length, dtype=torch.bool)
    for i, length in enumerate(lengths):
        mask[i, length:] = True
    return mask


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.scale = math.sqrt(d_out)

    def forward(self, x, context, mask=None):
        outputs = []
        for i in range(x.size(0)):
            scores = self.W_query(x[i]) @ self.W_key(context[i]).T / self.scale
            if mask is not None:
                scores = scores.masked_fill(mask[i], float("-inf"))
            outputs.append(scores.softmax(-1) @ self.W_value(context[i]))
        return torch.stack(outputs)
