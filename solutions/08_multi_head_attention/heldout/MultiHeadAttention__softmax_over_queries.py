"""A list of heads with einsum, softmax over dimension 2."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("d_out")
        self.h = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        b, t, _ = x.shape
        q = self.W_query(x).reshape(b, t, self.h, -1)
        k = self.W_key(x).reshape(b, t, self.h, -1)
        v = self.W_value(x).reshape(b, t, self.h, -1)
        s = torch.einsum("bihd,bjhd->bhij", q, k) / q.size(-1) ** 0.5
        s = s.masked_fill(torch.ones(t, t).triu(1).bool(), -torch.inf)
        w = self.drop(torch.softmax(s, dim=2))
        return self.out_proj(torch.einsum("bhij,bjhd->bihd", w, v).reshape(b, t, -1))
