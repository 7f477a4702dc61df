"""Let there be as many queries as context tokens. What tells a mask (B, n, m) from a mask (B, m),
whatever the sizes are?
"""

import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        queries = self.W_query(x)
        keys = self.W_key(context)
        values = self.W_value(context)
        scores = queries @ keys.transpose(1, 2) / keys.shape[-1] ** 0.5
        if mask is not None:
            if mask.shape[1] != queries.shape[1]:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        return weights @ values
