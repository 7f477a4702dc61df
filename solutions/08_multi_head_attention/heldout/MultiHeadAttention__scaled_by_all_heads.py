"""The usual class, with queries scaled before the product."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError(f"{d_out} is not divisible by {num_heads}")
        self.h, self.d_out = num_heads, d_out
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        q, k, v = (
            layer(x).unflatten(-1, (self.h, -1))
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        q = q * self.d_out**-0.5
        s = torch.einsum("bqhd,bkhd->bhqk", q, k)
        future = torch.ones(x.size(1), x.size(1), dtype=torch.bool).triu(1)
        p = self.drop(s.masked_fill(future, -1e9).softmax(-1))
        return self.out_proj(torch.einsum("bhqk,bkhd->bqhd", p, v).flatten(-2))
