"""The library's own attention does the work; the mask is turned round for it.

Short, and it shows what to look out for. The library's mask says who may be seen, ours who is hidden, so
it has to be turned round.
"""

import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q, self.W_k, self.W_v = (
            nn.Linear(d_model, d_model, bias=False) for _ in range(3)
        )

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        return F.scaled_dot_product_attention(
            self.W_q(encodings_for_q),
            self.W_k(encodings_for_k),
            self.W_v(encodings_for_v),
            attn_mask=None if mask is None else mask.logical_not(),
        )


def padding_mask(lengths, max_length):
    return torch.ones(len(lengths), max_length).cumsum(dim=1) > lengths[:, None]


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        visible = None
        if mask is not None:
            visible = ~(mask[:, None, :] if mask.ndim == 2 else mask)
        return F.scaled_dot_product_attention(
            self.W_query(x),
            self.W_key(context),
            self.W_value(context),
            attn_mask=visible,
        )
