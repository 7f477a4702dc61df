"""One product for all three projections, from the named parameters; the library's attention; any batch.

One large product keeps a processor busier than three small ones. Large models are written so; the three
matrices stay parameters of their own all the same.
"""

import torch.nn.functional as F


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        joint = torch.cat([self.W_query, self.W_key, self.W_value], dim=1)
        return F.scaled_dot_product_attention(*(x @ joint).chunk(3, dim=-1))


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, qkv_bias)

    def forward(self, x):
        layers = (self.W_query, self.W_key, self.W_value)
        weight = torch.cat([layer.weight for layer in layers])
        bias = (
            torch.cat([layer.bias for layer in layers])
            if self.W_query.bias is not None
            else None
        )
        return F.scaled_dot_product_attention(
            *F.linear(x, weight, bias).chunk(3, dim=-1)
        )
