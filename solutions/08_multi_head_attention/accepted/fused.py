"""One product makes queries, keys and values of all heads; batch and heads become one dimension for bmm."""

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
