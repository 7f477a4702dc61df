"""Keys and values come from one product with both weights; a helper class and an extra buffer stand by."""

import torch
from torch import nn
from torch.nn import functional as F


class Mixture(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.register_buffer("scale", torch.tensor(size**-0.5, dtype=torch.double))

    def forward(self, queries, keys, values, hidden):
        scores = queries @ keys.transpose(-2, -1) * float(self.scale)
        if hidden is not None:
            scores = torch.where(hidden, -torch.inf, scores)
        return torch.einsum("...nm,...md->...nd", scores.softmax(dim=-1), values)


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.mixture = Mixture(d_model)

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        queries, keys, values = (
            self.W_q(encodings_for_q),
            self.W_k(encodings_for_k),
            self.W_v(encodings_for_v),
        )
        return self.mixture(queries, keys, values, mask)


def padding_mask(lengths, max_length):
    return torch.stack(
        [torch.tensor([j >= int(n) for j in range(max_length)]) for n in lengths]
    )


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.mixture = Mixture(d_out)

    def forward(self, x, context, mask=None):
        weight = torch.cat([self.W_key.weight, self.W_value.weight])
        bias = (
            None
            if self.W_key.bias is None
            else torch.cat([self.W_key.bias, self.W_value.bias])
        )
        keys, values = F.linear(context, weight, bias).chunk(2, dim=-1)
        hidden = mask[:, None] if mask is not None and mask.dim() == 2 else mask
        return self.mixture(self.W_query(x), keys, values, hidden)
