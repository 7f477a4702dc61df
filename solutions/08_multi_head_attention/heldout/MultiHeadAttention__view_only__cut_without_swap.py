"""Queries, keys and values are viewed as (B, h, T, s) at once, without swapping tokens and heads, so that
heads hold other tokens' features.
"""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("mask", causal_mask(context_length))

    def forward(self, x):
        b, t, _ = x.shape
        q = self.W_query(x).view(b, self.num_heads, t, self.head_dim)
        k = self.W_key(x).view(b, self.num_heads, t, self.head_dim)
        v = self.W_value(x).view(b, self.num_heads, t, self.head_dim)
        s = q @ k.transpose(2, 3) / self.head_dim**0.5
        s = s.masked_fill(self.mask[:t, :t], -torch.inf)
        w = self.drop(torch.softmax(s, dim=-1))
        return self.out_proj((w @ v).transpose(1, 2).reshape(b, t, -1))
