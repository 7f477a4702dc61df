"""A loop over the heads' slices."""


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
        self.dropout = nn.Dropout(dropout)
        self.register_buffer(
            "tril", torch.tril(torch.ones(context_length, context_length))
        )

    def forward(self, x):
        t = x.shape[1]
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        outs = []
        for i in range(self.num_heads):
            part = slice(i * self.head_dim, (i + 1) * self.head_dim)
            att = q[..., part] @ k[..., part].transpose(1, 2)
            att = att.masked_fill(self.tril[:t, :t] == 0, float("-inf"))
            att = self.dropout(torch.softmax(att, dim=-1))
            outs.append(att @ v[..., part])
        return self.out_proj(torch.cat(outs, dim=-1))
