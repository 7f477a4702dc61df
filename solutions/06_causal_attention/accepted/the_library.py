"""The library's own attention, causal by its own means, and its dropout in training.

When you know what it computes, the library's function is the way to write it. It is fast, and it never
holds the whole table of scores.
"""

import torch.nn.functional as F


def causal_mask(length):
    return ~torch.tril(torch.ones(length, length, dtype=torch.bool))


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, token_encodings, mask=None):
        layers = (self.W_q, self.W_k, self.W_v)
        seen = None if mask is None else mask.logical_not()
        return F.scaled_dot_product_attention(
            *(layer(token_encodings) for layer in layers), attn_mask=seen
        )


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)

    def forward(self, x):
        return F.scaled_dot_product_attention(
            self.query(x), self.key(x), self.value(x), is_causal=True
        )


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, qkv_bias)
        self.rate = dropout

    def forward(self, x):
        rate = self.rate if self.training else 0.0
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=rate)
