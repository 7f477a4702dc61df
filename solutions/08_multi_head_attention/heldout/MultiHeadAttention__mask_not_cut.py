"""A full additive mask of minus infinity as a buffer."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer(
            "blocked", torch.full((context_length, context_length), -torch.inf).triu(1)
        )

    def forward(self, x):
        b, t, _ = x.shape
        q = self.W_query(x).reshape(b, t, self.num_heads, -1).permute(0, 2, 1, 3)
        k = self.W_key(x).reshape(b, t, self.num_heads, -1).permute(0, 2, 1, 3)
        v = self.W_value(x).reshape(b, t, self.num_heads, -1).permute(0, 2, 1, 3)
        s = q @ k.mT / q.size(-1) ** 0.5 + self.blocked
        y = self.dropout(s.softmax(-1)) @ v
        return self.out_proj(y.permute(0, 2, 1, 3).reshape(b, t, -1))
