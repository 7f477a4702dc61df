# %% accepted="built_on_each_other"
"""MultiHeadAttention calls split_heads and merge_heads."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("the heads do not share the features evenly")
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        layers = (self.W_query, self.W_key, self.W_value)
        queries, keys, values = (
            split_heads(layer(x), self.num_heads) for layer in layers
        )
        future = torch.ones(
            x.size(1), x.size(1), dtype=torch.bool, device=x.device
        ).triu(diagonal=1)
        scores = (queries @ keys.mT / queries.size(-1) ** 0.5).masked_fill(
            future, -torch.inf
        )
        return self.out_proj(merge_heads(self.dropout(scores.softmax(dim=-1)) @ values))


# %% accepted="einsum"
"""einsum instead of products and swaps; a float mask of large negative numbers is stored and added.

With a letter for each dimension, the heads need no swap to the front and back: `h` is one more letter.
"""

import torch
from torch import einsum, nn


def split_heads(x, num_heads):
    batch, length, size = x.shape
    return einsum("bths->bhts", x.reshape(batch, length, num_heads, size // num_heads))


def merge_heads(x):
    return x.permute(0, 2, 1, 3).reshape(x.size(0), x.size(2), -1)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out // num_heads * num_heads != d_out:
            raise ValueError("the heads cannot share d_out")
        self.h = num_heads
        self.scale = (d_out // num_heads) ** -0.5
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out, bias=True)
        self.drop = nn.Dropout(dropout)
        self.register_buffer(
            "future", torch.ones(context_length, context_length).triu(1) * -1e20
        )

    def heads(self, layer, x):
        return layer(x).reshape(*x.shape[:2], self.h, -1)

    def forward(self, x):
        length = x.shape[1]
        queries = self.heads(self.W_query, x) * self.scale
        scores = einsum("bnhs,bmhs->bhnm", queries, self.heads(self.W_key, x))
        weights = self.drop((scores + self.future[:length, :length]).softmax(-1))
        return self.out_proj(
            einsum("bhnm,bmhs->bnhs", weights, self.heads(self.W_value, x)).flatten(2)
        )


# %% accepted="fused"
"""One product gives queries, keys and values of all heads; batch and heads become one dimension for bmm."""

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.num_heads = num_heads
        self.dropout = dropout
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.register_buffer(
            "visible", torch.tril(torch.ones(context_length, context_length))
        )

    def forward(self, x):
        layers = (self.W_query, self.W_key, self.W_value)
        bias = (
            None
            if self.W_query.bias is None
            else torch.cat([layer.bias for layer in layers])
        )
        qkv = F.linear(x, torch.cat([layer.weight for layer in layers]), bias)
        B, T, C = x.shape[0], x.shape[1], qkv.shape[-1] // 3
        q, k, v = (
            qkv.view(B, T, 3 * self.num_heads, C // self.num_heads)
            .transpose(1, 2)
            .chunk(3, dim=1)
        )
        q, k, v = (part.reshape(B * self.num_heads, T, -1) for part in (q, k, v))
        scores = torch.bmm(q, k.mT) * k.size(-1) ** -0.5
        scores = scores.masked_fill(self.visible[:T, :T] == 0, float("-inf"))
        weights = F.dropout(
            F.softmax(scores, dim=2), self.dropout, training=self.training
        )
        out = torch.bmm(weights, v).view(B, self.num_heads, T, -1)
        return self.out_proj(out.transpose(1, 2).contiguous().view(B, T, C))


# %% accepted="head_class"
"""A helper class for one head; a loop over heads, which are slices of the wide layers.

Each head is a separate object, and multi-head attention is a loop over heads whose outputs are joined.
"""

import math

import torch
import torch.nn as nn


class OneHead(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, q, k, v, mask):
        scores = torch.matmul(self.W_q(q), self.W_k(k).transpose(-2, -1)) / math.sqrt(
            self.W_k.out_features
        )
        if mask is not None:
            scores = scores.masked_fill(mask=mask, value=-1e9)
        return torch.matmul(scores.softmax(dim=-1), self.W_v(v))


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1, num_heads=1):
        super().__init__()
        self.heads = nn.ModuleList([OneHead(d_model) for _ in range(num_heads)])

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        return torch.cat(
            [
                head(encodings_for_q, encodings_for_k, encodings_for_v, mask)
                for head in self.heads
            ],
            dim=-1,
        )


def split_heads(x, num_heads):
    size = x.shape[-1] // num_heads
    return torch.stack(
        [x[:, :, i * size : (i + 1) * size] for i in range(num_heads)], dim=1
    )


def merge_heads(x):
    return torch.cat([x[:, i] for i in range(x.shape[1])], dim=-1)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0, "d_out must be divisible by num_heads"
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        length = x.size(1)
        future = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        heads = []
        for q, k, v in zip(
            self.W_query(x).chunk(self.num_heads, dim=-1),
            self.W_key(x).chunk(self.num_heads, dim=-1),
            self.W_value(x).chunk(self.num_heads, dim=-1),
            strict=True,
        ):
            scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(k.size(-1))
            weights = torch.softmax(scores.masked_fill(future, float("-inf")), dim=-1)
            heads.append(torch.bmm(self.dropout(weights), v))
        return self.out_proj(torch.cat(heads, dim=-1))


# %% accepted="library"
"""torch's own attention inside; layers in another order, no stored mask, heads split with unflatten."""

import torch
from torch import nn
from torch.nn import functional as F


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1, num_heads=1):
        super().__init__()
        self.heads = nn.ModuleList()
        for _ in range(num_heads):
            self.heads.append(Attention(d_model))

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        parts = []
        for head in self.heads:
            parts.append(
                F.scaled_dot_product_attention(
                    head.W_q(encodings_for_q),
                    head.W_k(encodings_for_k),
                    head.W_v(encodings_for_v),
                    attn_mask=None if mask is None else ~mask,
                )
            )
        return torch.hstack(parts)


def split_heads(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).movedim(2, 1)


def merge_heads(x):
    return x.movedim(1, 2).flatten(2)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("d_out must be a multiple of num_heads")
        self.out_proj = nn.Linear(d_out, d_out)
        self.W_value = nn.Linear(d_in, d_out, qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, qkv_bias)
        self.num_heads, self.p = num_heads, dropout

    def forward(self, x):
        q, k, v = (
            layer(x).unflatten(-1, (self.num_heads, -1)).movedim(2, 1)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        p = self.p if self.training else 0.0
        mixed = F.scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=True)
        return self.out_proj(mixed.movedim(1, 2).flatten(2))


# %% accepted="renormalised"
"""The mask is applied after the softmax, rows are normalised again, and the last weights are stored."""

import torch
from torch import nn


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1, num_heads=1):
        super().__init__()
        self.d_model = d_model
        self.heads = nn.ModuleList(
            [Attention(d_model, row_dim, col_dim) for _ in range(num_heads)]
        )

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        d = self.d_model
        result = encodings_for_q.new_empty(
            encodings_for_q.shape[0], d * len(self.heads)
        )
        for i, head in enumerate(self.heads):
            result[:, i * d : (i + 1) * d] = head(
                encodings_for_q, encodings_for_k, encodings_for_v, mask
            )
        return result


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError(f"{num_heads} heads cannot share {d_out} features")
        self.num_heads = num_heads
        self.context_length = context_length
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        B, T, _ = x.size()
        assert self.context_length >= T
        q = self.W_query(x).view(B, T, self.num_heads, -1).permute(0, 2, 1, 3)
        k = self.W_key(x).view(B, T, self.num_heads, -1).permute(0, 2, 3, 1)
        v = self.W_value(x).view(B, T, self.num_heads, -1).permute(0, 2, 1, 3)
        weights = torch.softmax(q @ k / k.size(2) ** 0.5, dim=3).tril()
        self.weights = self.dropout(weights / weights.sum(dim=3, keepdim=True))
        return self.out_proj((self.weights @ v).permute(0, 2, 1, 3).reshape(B, T, -1))
