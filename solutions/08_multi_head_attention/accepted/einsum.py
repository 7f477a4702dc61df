"""einsum instead of products and swaps; a float mask of large negative numbers is kept and added.

With a letter for each dimension the heads need not be swapped to the front and back; `h` simply comes
along.
"""

import torch
from torch import einsum, nn


def split_heads(x, num_heads):
    batch, length, size = x.shape
    return einsum("bths->bhts", x.reshape(batch, length, num_heads, size // num_heads))


def merge_heads(x):
    return x.permute(0, 2, 1, 3).reshape(x.size(0), x.size(2), -1)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out // num_heads * num_heads != d_out:
            raise ValueError("the heads cannot share d_out")
        self.h = num_heads
        self.scale = (d_out // num_heads) ** -0.5
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out, bias=True)
        self.drop = nn.Dropout(dropout)
        self.register_buffer(
            "future", torch.ones(context_length, context_length).triu(1) * -1e20
        )

    def heads(self, layer, x):
        return layer(x).reshape(*x.shape[:2], self.h, -1)

    def forward(self, x):
        length = x.shape[1]
        queries = self.heads(self.W_query, x) * self.scale
        scores = einsum("bnhs,bmhs->bhnm", queries, self.heads(self.W_key, x))
        weights = self.drop((scores + self.future[:length, :length]).softmax(-1))
        return self.out_proj(
            einsum("bhnm,bmhs->bnhs", weights, self.heads(self.W_value, x)).flatten(2)
        )
