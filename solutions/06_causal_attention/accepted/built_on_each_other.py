"""The classes call causal_mask and masked_attention_weights; one keeps its mask, one makes it each time."""

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
