"""The library's own attention inside; layers in another order, no mask kept, heads cut with unflatten."""

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
