"""The softmax runs over the queries, the last dimension but one, instead of the keys."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.num_heads = num_heads
        self.size = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.attn_drop = nn.Dropout(dropout)
        self.register_buffer(
            "tril", torch.tril(torch.ones(context_length, context_length))
        )

    def forward(self, x):
        B, T, C = x.size()
        q = self.W_query(x).view(B, T, self.num_heads, self.size).transpose(1, 2)
        k = self.W_key(x).view(B, T, self.num_heads, self.size).transpose(1, 2)
        v = self.W_value(x).view(B, T, self.num_heads, self.size).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * self.size**-0.5
        att = att.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        att = nn.functional.softmax(att, dim=-2)
        y = self.attn_drop(att) @ v
        return self.out_proj(y.transpose(1, 2).contiguous().view(B, T, -1))
