"""The heads' results are reshaped to (B, T, d_out) without swapping heads and tokens back."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.n_head = num_heads
        self.dropout = dropout
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)

    def forward(self, x):
        B, T, C = x.size()
        q = self.W_query(x).view(B, T, self.n_head, -1).transpose(1, 2)
        k = self.W_key(x).view(B, T, self.n_head, -1).transpose(1, 2)
        v = self.W_value(x).view(B, T, self.n_head, -1).transpose(1, 2)
        y = nn.functional.scaled_dot_product_attention(
            q, k, v, dropout_p=self.dropout if self.training else 0, is_causal=True
        )
        return self.out_proj(y.reshape(B, T, -1))
