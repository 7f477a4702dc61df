"""The library's attention function, and reshape right after it."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError
        self.n_head, self.p = num_heads, dropout
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)

    def forward(self, x):
        B, T, _ = x.shape
        q, k, v = (
            f(x).view(B, T, self.n_head, -1).transpose(1, 2)
            for f in (self.W_query, self.W_key, self.W_value)
        )
        p = self.p if self.training else 0.0
        y = nn.functional.scaled_dot_product_attention(
            q, k, v, dropout_p=p, is_causal=True
        )
        return self.out_proj(y.reshape(B, T, -1))
