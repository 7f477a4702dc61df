"""Multiplies with the root."""

import math


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.root = math.sqrt(d_out)

    def forward(self, x):
        att = torch.matmul(self.W_query(x) * self.root, self.W_key(x).transpose(-2, -1))
        return torch.matmul(nn.functional.softmax(att, dim=-1), self.W_value(x))
