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
