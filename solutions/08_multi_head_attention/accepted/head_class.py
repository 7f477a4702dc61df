"""Own helper class for one head; heads are slices of the wide layers, one after the other in a loop.

One head is a thing of its own here, and multi-head attention is a loop over heads whose results are laid
side by side.
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
