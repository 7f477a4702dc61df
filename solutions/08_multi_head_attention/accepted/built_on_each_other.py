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
