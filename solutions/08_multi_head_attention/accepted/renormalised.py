"""The mask acts after the softmax, rows are renormalised, and the module keeps its last weights."""

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
