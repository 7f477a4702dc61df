# %% accepted="fused"
"""One product with both weights gives keys and values; there are a helper class and an additional buffer."""

import torch
from torch import nn
from torch.nn import functional as F


class Mixture(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.register_buffer("scale", torch.tensor(size**-0.5, dtype=torch.double))

    def forward(self, queries, keys, values, hidden):
        scores = queries @ keys.transpose(-2, -1) * float(self.scale)
        if hidden is not None:
            scores = torch.where(hidden, -torch.inf, scores)
        return torch.einsum("...nm,...md->...nd", scores.softmax(dim=-1), values)


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.mixture = Mixture(d_model)

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        queries, keys, values = (
            self.W_q(encodings_for_q),
            self.W_k(encodings_for_k),
            self.W_v(encodings_for_v),
        )
        return self.mixture(queries, keys, values, mask)


def padding_mask(lengths, max_length):
    return torch.stack(
        [torch.tensor([j >= int(n) for j in range(max_length)]) for n in lengths]
    )


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.mixture = Mixture(d_out)

    def forward(self, x, context, mask=None):
        weight = torch.cat([self.W_key.weight, self.W_value.weight])
        bias = (
            None
            if self.W_key.bias is None
            else torch.cat([self.W_key.bias, self.W_value.bias])
        )
        keys, values = F.linear(context, weight, bias).chunk(2, dim=-1)
        hidden = mask[:, None] if mask is not None and mask.dim() == 2 else mask
        return self.mixture(self.W_query(x), keys, values, hidden)


# %% accepted="large_negative"
"""A large negative number in place of -inf, added or filled in; einsum in place of products."""

import torch
from torch import einsum, nn


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.row_dim, self.col_dim = row_dim, col_dim
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        q, k, v = (
            self.W_q(encodings_for_q),
            self.W_k(encodings_for_k),
            self.W_v(encodings_for_v),
        )
        sims = torch.matmul(q, k.transpose(dim0=self.row_dim, dim1=self.col_dim))
        scaled = sims / k.size(self.col_dim) ** 0.5
        if mask is not None:
            scaled = scaled.masked_fill(mask=mask, value=-1e9)
        return torch.matmul(torch.nn.functional.softmax(scaled, dim=self.col_dim), v)


def padding_mask(lengths, max_length):
    positions = torch.arange(max_length).expand(lengths.shape[0], -1)
    return ~(positions < lengths.reshape(-1, 1))


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        queries = self.W_query(x) * self.W_query.out_features**-0.5
        scores = einsum("bnd,bmd->bnm", queries, self.W_key(context))
        if mask is not None:
            mask = mask.view(mask.size(0), -1, mask.size(-1))
            scores = scores + mask.to(scores.dtype) * -1e20
        return einsum(
            "bnm,bmd->bnd", torch.softmax(scores, dim=2), self.W_value(context)
        )


# %% accepted="library"
"""torch's own attention, with the mask inverted.

In the mask of torch's function, True means visible; in this course, True means hidden. So the mask must be
inverted.
"""

import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q, self.W_k, self.W_v = (
            nn.Linear(d_model, d_model, bias=False) for _ in range(3)
        )

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        return F.scaled_dot_product_attention(
            self.W_q(encodings_for_q),
            self.W_k(encodings_for_k),
            self.W_v(encodings_for_v),
            attn_mask=None if mask is None else mask.logical_not(),
        )


def padding_mask(lengths, max_length):
    return torch.ones(len(lengths), max_length).cumsum(dim=1) > lengths[:, None]


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        visible = None
        if mask is not None:
            visible = ~(mask[:, None, :] if mask.ndim == 2 else mask)
        return F.scaled_dot_product_attention(
            self.W_query(x),
            self.W_key(context),
            self.W_value(context),
            attn_mask=visible,
        )


# %% accepted="loops"
"""Loops over queries, keys and sequences instead of products; Attention takes (n, d_model) only.

The loop follows one query through the context, as the lesson does. Shapes are hardly ever wrong here,
because each step handles single vectors.
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


# %% accepted="renormalised"
"""The mask acts after the softmax, and the rows are made to sum to 1 again."""

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        keys = self.W_k(encodings_for_k)
        scores = self.W_q(encodings_for_q) @ keys.mT / keys.size(-1) ** 0.5
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(mask, 0)
            weights = weights / weights.sum(dim=-1, keepdim=True)
        return weights @ self.W_v(encodings_for_v)


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        keys = self.W_key(context)
        weights = torch.softmax(
            self.W_query(x).matmul(keys.mT) / keys.shape[-1] ** 0.5, dim=-1
        )
        if mask is not None:
            visible = (~mask).to(weights.dtype)
            if visible.dim() == 2:
                visible = visible[:, None]
            weights = weights * visible
            weights = weights / weights.sum(-1, keepdim=True)
        return weights @ self.W_value(context)
