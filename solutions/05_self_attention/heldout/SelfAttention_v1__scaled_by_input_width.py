"""Keeps d_in and scales the queries with math."""

import math


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.scale = 1 / math.sqrt(d_in)
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        q = x.matmul(self.W_query) * self.scale
        k = x.matmul(self.W_key)
        v = x.matmul(self.W_value)
        return torch.einsum("...nm,...md->...nd", (q @ k.mT).softmax(-1), v)
