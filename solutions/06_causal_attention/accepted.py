# %% accepted="built_on_each_other"
"""The classes call causal_mask and masked_attention_weights; one of them stores its mask."""

import torch
from torch import nn


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, token_encodings, mask=None):
        q, k, v = (
            self.W_q(token_encodings),
            self.W_k(token_encodings),
            self.W_v(token_encodings),
        )
        if mask is None:
            mask = torch.zeros(len(q), len(k), dtype=torch.bool)
        return masked_attention_weights(q @ k.T / k.size(-1) ** 0.5, mask) @ v


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)

    def forward(self, x):
        queries, keys = self.query(x), self.key(x)
        scores = queries @ keys.mT / keys.size(-1) ** 0.5
        return masked_attention_weights(
            scores, causal_mask(x.size(1)).to(x.device)
        ) @ self.value(x)


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", causal_mask(context_length))

    def forward(self, x):
        length = x.size(1)
        scores = self.W_query(x) @ self.W_key(x).mT / self.W_key.out_features**0.5
        weights = masked_attention_weights(scores, self.mask[:length, :length])
        return self.dropout(weights) @ self.W_value(x)


# %% accepted="finite_number"
"""A large negative number instead of minus infinity; masks by comparing positions in each call."""


def causal_mask(length):
    places = torch.arange(length)
    return places[None, :] > places[:, None]


def masked_attention_weights(scores, mask):
    return torch.softmax(scores.masked_fill(mask, -1e9), dim=-1)


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, token_encodings, mask=None):
        x = token_encodings
        scores = (
            torch.einsum("...nd,...md->...nm", self.W_q(x), self.W_k(x))
            / x.shape[-1] ** 0.5
        )
        if mask is not None:
            scores = torch.where(mask, -1e20, scores)
        return torch.einsum("...nm,...md->...nd", scores.softmax(-1), self.W_v(x))


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.head_size = head_size

    def forward(self, x):
        length = x.shape[1]
        hidden = torch.triu(torch.ones(length, length), diagonal=1)
        scores = (
            torch.einsum("bnd,bmd->bnm", self.query(x), self.key(x))
            / self.head_size**0.5
        )
        weights = torch.softmax(scores + hidden * -1e9, dim=2)
        return torch.einsum("bnm,bmd->bnd", weights, self.value(x))


# %% accepted="float_buffer"
"""A triangle of ones as a buffer, masking of new scores in place, scaling after masking."""


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x):
        B, T, C = x.shape
        k = self.key(x)
        q = self.query(x)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        self.last_weights = nn.functional.softmax(wei, dim=-1)
        return self.last_weights @ self.value(x)


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer(
            "mask", torch.triu(torch.ones(context_length, context_length), diagonal=1)
        )

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        attn_scores = queries @ keys.transpose(1, 2)
        attn_scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        return attn_weights @ values


# %% accepted="mask_kept_for_later"
"""The mask is created in the first call, for its length and device, and stored for later calls."""


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.hidden = None

    def forward(self, x):
        length = x.size(-2)
        if (
            self.hidden is None
            or self.hidden.size(0) != length
            or self.hidden.device != x.device
        ):
            self.hidden = torch.ones(
                length, length, dtype=torch.bool, device=x.device
            ).triu(1)
        scores = self.query(x) @ self.key(x).mT
        scores = scores.div(self.key.out_features**0.5).masked_fill(
            self.hidden, -torch.inf
        )
        return scores.softmax(dim=-1) @ self.value(x)


# %% accepted="prefix_by_prefix"
"""No mask at all: each token attends to the prefix that ends with it; masks and weights by loops.

No later token is computed, so none has to be hidden. In the same way a model generates its text, and this
is why a cache of keys and values is possible.
"""


def causal_mask(length):
    return torch.tensor(
        [[column > row for column in range(length)] for row in range(length)]
    )


def masked_attention_weights(scores, mask):
    largest = scores.masked_fill(mask, float("-inf")).amax(dim=-1, keepdim=True)
    powers = torch.exp(scores - largest).masked_fill(mask, 0.0)
    return powers / powers.sum(dim=-1, keepdim=True)


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)

    def forward(self, x):
        rows = []
        for t in range(x.size(1)):
            keys, values = self.key(x[:, : t + 1]), self.value(x[:, : t + 1])
            scores = (keys @ self.query(x[:, t]).unsqueeze(2)).squeeze(2) / keys.size(
                2
            ) ** 0.5
            weights = torch.softmax(scores, dim=1)
            rows.append((weights.unsqueeze(2) * values).sum(dim=1))
        return torch.stack(rows, dim=1)


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.keep = 1 - dropout

    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        rows = []
        for t in range(x.size(1)):
            scores = (
                torch.einsum("bd,bmd->bm", queries[:, t], keys[:, : t + 1])
                / keys.size(-1) ** 0.5
            )
            weights = torch.softmax(scores, dim=-1)
            if self.training:
                weights = weights * (torch.rand_like(weights) < self.keep) / self.keep
            rows.append(torch.einsum("bm,bmd->bd", weights, values[:, : t + 1]))
        return torch.stack(rows, dim=1)


# %% accepted="the_library"
"""torch's own attention with its causal mask, and with dropout in training.

Once you know what it computes, use torch's function: it is fast, and it never stores all scores.
"""

import torch.nn.functional as F


def causal_mask(length):
    return ~torch.tril(torch.ones(length, length, dtype=torch.bool))


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, token_encodings, mask=None):
        layers = (self.W_q, self.W_k, self.W_v)
        seen = None if mask is None else mask.logical_not()
        return F.scaled_dot_product_attention(
            *(layer(token_encodings) for layer in layers), attn_mask=seen
        )


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)

    def forward(self, x):
        return F.scaled_dot_product_attention(
            self.query(x), self.key(x), self.value(x), is_causal=True
        )


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, qkv_bias)
        self.rate = dropout

    def forward(self, x):
        rate = self.rate if self.training else 0.0
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=rate)
