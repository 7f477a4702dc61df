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
